// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// The report: charts, the arm in motion, and one clock for both.
'use strict';

window.addEventListener('error', (e) => { document.body.dataset.error = `${e.message} (${e.lineno})`; });

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const {clock, charts} = Plots.build(data, document.getElementById('curves'));

  // ---- the arm ----------------------------------------------------------------------------------
  const frames = Plots.decode(data.frames.t), q = data.frames.q.map(Plots.decode), path = data.frames.path.map(Plots.decode);
  const view = new Arm.View(document.getElementById('arm'), data.scene);
  view.trail = Array.from(frames, (_, k) => path.map((c) => c[k]));
  view.bad = data.bad.map(([a, b]) => [Plots.nearest(frames, a), Plots.nearest(frames, b)]);
  const slider = document.getElementById('time'), shown = document.getElementById('now'), play = document.getElementById('play');
  const rate = document.getElementById('rate'), axes = document.getElementById('frames');
  slider.min = clock.start; slider.max = clock.end; slider.step = (clock.end - clock.start) / 2000;
  function show() {
    const x = clock.time;
    let k = Plots.nearest(frames, x);
    if (frames[k] > x && k) k--;
    const j = Math.min(k + 1, frames.length - 1), w = frames[j] > frames[k] ? Math.min(1, Math.max(0, (x - frames[k]) / (frames[j] - frames[k]))) : 0;
    view.trailSplit = k + 1;
    view.set(q.map((c) => c[k] + w * (c[j] - c[k])));
    slider.value = x; shown.textContent = `${x.toFixed(3)} s`;
  }
  clock.listen((event) => { if (event === 'time') show(); });
  let last = 0;
  function tick(now) {
    if (!clock.playing) return;
    const next = clock.time + Math.min(0.1, (now - last) / 1000) * parseFloat(rate.value);
    last = now;
    clock.set(next > clock.end ? clock.start : next);
    requestAnimationFrame(tick);
  }
  function running(on) { clock.playing = on; play.textContent = on ? '❚❚' : '▶'; play.title = on ? 'pause' : 'play'; if (on) { last = performance.now(); requestAnimationFrame(tick); } }
  play.addEventListener('click', () => running(!clock.playing));
  slider.addEventListener('input', () => { running(false); clock.set(parseFloat(slider.value)); });
  axes.addEventListener('change', () => { view.frames = axes.checked; view.draw(); });
  for (const button of document.querySelectorAll('[data-time]')) {
    button.addEventListener('click', () => { running(false); clock.set(parseFloat(button.dataset.time)); });
  }
  document.addEventListener('keydown', (e) => {
    if (e.target.closest('input, select, button, summary')) return;
    if (e.key === ' ') { e.preventDefault(); running(!clock.playing); }
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') clock.set(clock.time + (e.key === 'ArrowRight' ? 1 : -1) * (clock.end - clock.start) / 200);
  });
  clock.set(data.start);
  document.body.dataset.charts = charts;
  document.body.dataset.webgl = view.gl ? 'yes' : 'no';
  document.body.dataset.ready = 'yes';
})();
