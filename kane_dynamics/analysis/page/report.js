// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// The report: curves from the data in the page, the arm in motion, and one clock for all of it.
'use strict';

window.addEventListener('error', (e) => { document.body.dataset.error = `${e.message} (${e.lineno})`; });

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const t = Plots.decode(data.t), clock = new Plots.Clock(t[0], t[t.length - 1]);
  const make = (tag, css, text) => { const e = document.createElement(tag); if (css) e.className = css; if (text) e.textContent = text; return e; };

  // ---- curves -----------------------------------------------------------------------------------
  const holder = document.getElementById('curves');
  let charts = 0;
  for (const group of data.groups) {
    let into = holder;
    if (group.folded) { into = make('details', 'fold'); into.append(make('summary', '', group.title)); holder.append(into); } else holder.append(make('h2', '', group.title));
    const grid = make('div', 'plots'); into.append(grid);
    for (const plot of group.plots) {
      const card = make('div', group.plots.length === 1 ? 'card wide' : 'card'); grid.append(card);
      const series = plot.series.map((s) => ({name: s.name, values: Plots.decode(s.d)}));
      const limits = plot.limits.map((l) => ({...l, colour: l.of === undefined ? undefined : COLOURS[l.of % COLOURS.length]}));
      new Plots.Curves(card, {...plot, series, limits, t, clock});
      charts++;
    }
  }
  if (data.diagrams.length) {
    holder.append(make('h2', '', 'Torque over speed; dashed: what the drive can do'));
    const grid = make('div', 'plots three'); holder.append(grid);
    for (const d of data.diagrams) {
      const card = make('div', 'card'); grid.append(card);
      new Plots.Diagram(card, {...d, x: Plots.decode(d.x), y: Plots.decode(d.y), t: Plots.decode(d.t), clock, outside: [...d.outside].map((c) => c === '1')});
      charts++;
    }
  }

  // ---- the arm ----------------------------------------------------------------------------------
  const frames = Plots.decode(data.frames.t), q = data.frames.q.map(Plots.decode), path = data.frames.path.map(Plots.decode);
  const view = new Arm.View(document.getElementById('arm'), data.scene);
  view.trail = Array.from(frames, (_, k) => path.map((c) => c[k]));
  view.bad = data.bad.map(([a, b]) => [Plots.nearest(frames, a), Plots.nearest(frames, b)]);
  const slider = document.getElementById('time'), shown = document.getElementById('now'), play = document.getElementById('play');
  const rate = document.getElementById('rate'), loop = document.getElementById('frames');
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
  clock.listen((what) => { if (what === 'time') show(); });
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
  loop.addEventListener('change', () => { view.frames = loop.checked; view.draw(); });
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
