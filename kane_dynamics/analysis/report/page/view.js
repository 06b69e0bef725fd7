// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// An arm in 3D, with a slider for every joint and for every mode of flexible links.
'use strict';

window.addEventListener('error', (e) => { document.body.dataset.error = `${e.message} (${e.lineno})`; });

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const panel = document.querySelector('.panel');     // the arm is centred in the space that it leaves
  const inset = () => (window.innerWidth > 2.2 * panel.offsetWidth ? panel.offsetWidth + 14 : 0);
  const view = new Arm.View(document.getElementById('arm'), data.scene, {q: data.q.slice(), inset});
  const list = document.getElementById('sliders'), pose = document.getElementById('pose'), sliders = [];
  const degrees = 180 / Math.PI;
  function showPose() {
    const k = data.scene.links.findIndex((link) => link.name === data.frame), {R, p} = view.poses[k];
    const pitch = Math.atan2(-R[6], Math.hypot(R[0], R[3])), yaw = Math.atan2(R[3], R[0]), roll = Math.atan2(R[7], R[8]);
    pose.textContent = `${data.frame}:\n${p.map((x) => x.toFixed(3)).join('  ')} m;\nroll, pitch, yaw: ${[roll, pitch, yaw].map((x) => (x * degrees).toFixed(1)).join('  ')}°`;
  }
  function set(q) {
    view.set(q);
    sliders.forEach(({input, output, row}) => {
      input.value = q[row.q];
      output.textContent = row.unit === 'rad' ? `${(q[row.q] * degrees).toFixed(1)}°` : row.unit === 'm' ? `${(1000 * q[row.q]).toFixed(row.mode ? 1 : 0)} mm` : q[row.q].toPrecision(3);
    });
    showPose();
  }
  for (const row of data.sliders) {
    const label = document.createElement('label'); label.className = row.mode ? 'slider mode' : 'slider';
    const name = document.createElement('span'); name.textContent = row.name;
    const output = document.createElement('output'), input = document.createElement('input');
    Object.assign(input, {type: 'range', min: row.low, max: row.high, step: (row.high - row.low) / 1000});
    input.addEventListener('input', () => { const q = view.q.slice(); q[row.q] = parseFloat(input.value); set(q); });
    label.append(name, output, input); list.append(label); sliders.push({input, output, row});
  }
  const on = (id, f) => document.getElementById(id).addEventListener('click', f);
  on('zero', () => set(data.scene.neutral.slice()));
  on('start', () => set(data.q.slice()));
  on('front', () => view.look(0, 0.05)); on('side', () => view.look(-Math.PI / 2, 0.05)); on('top', () => view.look(-Math.PI / 2, 1.55));
  on('reset', () => view.reset());
  on('axes', (e) => { view.frames = !view.frames; e.target.classList.toggle('on', view.frames); view.draw(); });
  on('bones', (e) => { view.shapes = !view.shapes; e.target.classList.toggle('on', !view.shapes); view.draw(); });
  let swing = null;
  on('swing', (e) => {                              // every mode in turn
    if (swing) { cancelAnimationFrame(swing); swing = null; e.target.classList.remove('on'); set(data.q.slice()); return; }
    e.target.classList.add('on');
    const modes = data.sliders.filter((row) => row.mode), begin = performance.now();
    const step = (now) => {
      const time = (now - begin) / 1000, q = data.q.slice(), row = modes[Math.floor(time / 3) % modes.length];
      q[row.q] += 0.6 * row.high * Math.sin(2 * Math.PI * time); set(q); swing = requestAnimationFrame(step);
    };
    swing = requestAnimationFrame(step);
  });
  document.getElementById('swing').hidden = !data.sliders.some((row) => row.mode);
  set(data.q.slice());
  document.body.dataset.webgl = view.gl ? 'yes' : 'no';
  document.body.dataset.ready = 'yes';
})();
