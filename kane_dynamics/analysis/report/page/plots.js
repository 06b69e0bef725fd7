// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// Curves over time and diagrams, drawn on canvas. All charts share one clock and one zoom. No library.
'use strict';

const COLOURS = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed', '#0891b2', '#be185d', '#65a30d',
  '#475569', '#a16207', '#4338ca', '#0f766e'];

const Plots = (() => {
  const dark = () => window.matchMedia('(prefers-color-scheme: dark)').matches;
  const ink = () => dark()
    ? {text: '#9aa4b2', line: '#2b3440', axis: '#566273', limit: '#f87171', bad: 'rgba(248,113,113,.16)', back: '#151b23', cursor: '#e5e7eb', fill: 'rgba(52,211,153,.10)'}
    : {text: '#5b6472', line: '#e6e9ee', axis: '#aab2bd', limit: '#dc2626', bad: 'rgba(220,38,38,.10)', back: '#ffffff', cursor: '#111827', fill: 'rgba(5,150,105,.08)'};

  // ---- data -----------------------------------------------------------------------------------
  // a channel: 16-bit numbers between a and b, base64
  function decode(channel) {
    const raw = Uint8Array.from(atob(channel.d), (c) => c.charCodeAt(0));
    const view = new DataView(raw.buffer), n = raw.length / 2, out = new Float64Array(n);
    const step = (channel.b - channel.a) / 65535;
    for (let k = 0; k < n; k++) out[k] = channel.a + step * view.getUint16(2 * k, true);
    return out;
  }

  function ticks(low, high, most) {
    const rough = (high - low) / Math.max(1, most), power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999), out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
    return {out, step};
  }
  function short(x, step) {
    if (Math.abs(x) < 1e-12) return '0';
    const big = Math.max(Math.abs(x), Math.abs(step) || 0);
    if (big >= 1e5 || Math.abs(x) < 1e-4) return x.toExponential(1).replace('e+', 'e');
    const digits = step ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(x))));
    return x.toFixed(Math.min(8, digits));
  }
  const number = (x) => {
    if (!isFinite(x)) return '–';
    const a = Math.abs(x);
    if (a !== 0 && (a >= 1e5 || a < 1e-3)) return x.toExponential(2).replace('e+', 'e');
    return x.toPrecision(4).replace(/\.?0+$/, '');
  };
  function nearest(t, x) {
    let low = 0, high = t.length - 1;
    while (high - low > 1) { const m = (low + high) >> 1; if (t[m] <= x) low = m; else high = m; }
    return x - t[low] < t[high] - x ? low : high;
  }

  // ---- the clock and zoom that all charts share -------------------------------------------------
  class Clock {
    constructor(start, end) { this.start = start; this.end = end > start ? end : start + 1; this.from = start; this.to = this.end; this.time = start; this.listeners = []; }
    listen(f) { this.listeners.push(f); }
    notify(event) { for (const f of this.listeners) f(event); }
    set(time) { this.time = Math.max(this.start, Math.min(this.end, time)); this.notify('time'); }
    zoom(from, to) {
      this.from = Math.max(this.start, Math.min(from, to)); this.to = Math.min(this.end, Math.max(from, to));
      if (!(this.to - this.from > 1e-6 * (this.end - this.start))) { this.from = this.start; this.to = this.end; }
      this.notify('zoom');
    }
  }

  // only charts on the screen are drawn
  const watcher = typeof IntersectionObserver === 'undefined' ? null : new IntersectionObserver((entries) => {
    for (const entry of entries) { entry.target.chart.visible = entry.isIntersecting; if (entry.isIntersecting) entry.target.chart.draw(); }
  }, {rootMargin: '200px'});

  class Chart {
    constructor(holder, height) {
      this.holder = holder;
      this.canvas = document.createElement('canvas');
      this.canvas.style.height = `${height}px`;
      this.canvas.className = 'chart';
      this.canvas.chart = this;
      holder.append(this.canvas);
      this.visible = !watcher;
      if (watcher) watcher.observe(this.canvas);
      new ResizeObserver(() => this.draw()).observe(this.canvas);
    }
    begin() {
      const ratio = Math.min(window.devicePixelRatio || 1, 2), c = this.canvas;
      this.width = c.clientWidth; this.height = c.clientHeight;
      if (!this.width || !this.visible) return null;
      const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
      if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
      const g = c.getContext('2d');
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.clearRect(0, 0, this.width, this.height);
      g.font = '11px system-ui, sans-serif';
      return g;
    }
  }

  // ---- curves over time -------------------------------------------------------------------------
  // options: title, unit, t, series [{name, values}], limits [{value, name, of: index of its curve}], clock, height,
  // breaks: Set of indices of t where the curves begin again
  class Curves extends Chart {
    constructor(holder, options) {
      const head = document.createElement('div'); head.className = 'chart-head';
      const title = document.createElement('span'); title.className = 'chart-title'; title.textContent = options.title;
      const unit = document.createElement('span'); unit.className = 'chart-unit'; unit.textContent = options.unit || '';
      const legend = document.createElement('span'); legend.className = 'legend';
      head.append(title, unit, legend); holder.append(head);
      super(holder, options.height || 170);
      const size = Math.max(...options.series.map((s) => s.values.reduce((most, v) => Math.max(most, Math.abs(v)), 0)));
      // a limit of one curve is drawn where that curve comes near it
      options.limits = (options.limits || []).filter((limit) => limit.of == null
        || options.series[limit.of].values.some((v) => v * Math.sign(limit.value) >= 0.6 * Math.abs(limit.value)));
      this.o = options; this.small = 1e-5 * size; this.hidden = new Set(); this.margin = {left: 54, right: 12, top: 8, bottom: 20};
      options.series.forEach((s, k) => {
        s.colour = COLOURS[k % COLOURS.length];
        const button = document.createElement('button'); button.className = 'key'; button.type = 'button';
        const mark = document.createElement('i'); mark.style.background = s.colour;
        const name = document.createElement('span'); name.textContent = s.name;
        const value = document.createElement('b');
        button.append(mark, name, value); s.label = value; legend.append(button);
        button.title = 'click: hide or show; double click: this one alone';
        button.addEventListener('click', () => { this.hidden.has(k) ? this.hidden.delete(k) : this.hidden.add(k); button.classList.toggle('off', this.hidden.has(k)); this.draw(); });
        button.addEventListener('dblclick', () => {
          this.hidden = new Set(options.series.map((_, j) => j).filter((j) => j !== k));
          [...legend.children].forEach((b, j) => b.classList.toggle('off', this.hidden.has(j))); this.draw();
        });
      });
      options.clock.listen((event) => (event === 'zoom' ? this.draw() : this.mark()));
      this._listen();
    }

    _listen() {
      const c = this.canvas, clock = this.o.clock;
      let from = null;
      const time = (e) => {
        const x = e.clientX - c.getBoundingClientRect().left, m = this.margin;
        return clock.from + (x - m.left) / (this.width - m.left - m.right) * (clock.to - clock.from);
      };
      c.addEventListener('pointerdown', (e) => { from = time(e); c.setPointerCapture(e.pointerId); });
      c.addEventListener('pointermove', (e) => {
        const now = time(e);
        if (from !== null && Math.abs(now - from) > 0.01 * (clock.to - clock.from)) this.range = [from, now];
        if (!clock.playing) clock.set(now); else this.mark();
      });
      c.addEventListener('pointerup', () => {
        if (this.range) clock.zoom(...this.range);
        from = null; this.range = null; this.draw();
      });
      c.addEventListener('dblclick', () => clock.zoom(clock.start, clock.end));
    }

    draw() {
      const g = this.begin();
      if (!g) return;
      const {t, series, limits, clock, breaks} = this.o, m = this.margin, colours = ink();
      const a = Math.max(0, nearest(t, clock.from) - 1), b = Math.min(t.length - 1, nearest(t, clock.to) + 1);
      let low = Infinity, high = -Infinity;
      series.forEach((s, k) => {
        if (this.hidden.has(k)) return;
        for (let i = a; i <= b; i++) { const v = s.values[i]; if (v < low) low = v; if (v > high) high = v; }
      });
      if (!(low <= high)) { low = -1; high = 1; }
      const span = high - low;
      for (const limit of limits) {                // a limit is shown where the curves come near it
        if (this.o.always || limit.value <= high + 0.6 * span + 1e-12 && limit.value >= low - 0.6 * span - 1e-12) {
          low = Math.min(low, limit.value); high = Math.max(high, limit.value);
        }
      }
      if (high - low < 1e-9 * Math.max(1e-9, Math.abs(high), Math.abs(low))) { low -= 1e-3 + 0.5 * Math.abs(low); high += 1e-3 + 0.5 * Math.abs(high); }
      const pad = 0.06 * (high - low); low -= pad; high += pad;
      if (this.o.floor != null) low = this.o.floor;
      const W = this.width - m.left - m.right, H = this.height - m.top - m.bottom;
      const X = (x) => m.left + (x - clock.from) / (clock.to - clock.from) * W;
      const Y = (y) => m.top + (high - y) / (high - low) * H;
      this.X = X; this.box = [m.left, m.top, W, H];
      g.textAlign = 'right'; g.textBaseline = 'middle'; g.strokeStyle = colours.line; g.fillStyle = colours.text; g.lineWidth = 1;
      const vertical = ticks(low, high, H / 32);
      for (const y of vertical.out) { g.beginPath(); g.moveTo(m.left, Y(y)); g.lineTo(m.left + W, Y(y)); g.stroke(); g.fillText(short(y, vertical.step), m.left - 6, Y(y)); }
      g.textAlign = 'center'; g.textBaseline = 'top';
      const level = ticks(clock.from, clock.to, W / 80);
      level.out.forEach((x, k) => {
        const last = k === level.out.length - 1;
        g.textAlign = X(x) > m.left + W - 14 ? 'right' : 'center';
        g.fillText(short(x, level.step) + (last ? ' s' : ''), g.textAlign === 'right' ? m.left + W + 8 : X(x), m.top + H + 5);
      });
      if (low < 0 && high > 0) { g.strokeStyle = colours.axis; g.beginPath(); g.moveTo(m.left, Y(0)); g.lineTo(m.left + W, Y(0)); g.stroke(); }
      g.save(); g.beginPath(); g.rect(m.left, m.top, W, H); g.clip();
      for (const [from, to] of this.o.bad) { g.fillStyle = colours.bad; g.fillRect(X(from), m.top, Math.max(2, X(to) - X(from)), H); }
      series.forEach((s, k) => {
        if (this.hidden.has(k)) return;
        g.strokeStyle = s.colour; g.lineWidth = 1.5; g.setLineDash([]); g.beginPath();
        for (let i = a; i <= b; i++) { const x = X(t[i]), y = Y(s.values[i]); i === a || breaks.has(i) ? g.moveTo(x, y) : g.lineTo(x, y); }
        g.stroke();
      });
      g.setLineDash([5, 4]); g.lineWidth = 1.2; g.textAlign = 'left'; g.textBaseline = 'bottom';
      for (const limit of limits) {
        if (limit.of != null && this.hidden.has(limit.of)) continue;
        if (limit.value < low || limit.value > high) continue;
        g.strokeStyle = g.fillStyle = limit.of == null ? colours.limit : series[limit.of].colour;
        g.beginPath(); g.moveTo(m.left, Y(limit.value)); g.lineTo(m.left + W, Y(limit.value)); g.stroke();
        if (limit.name) { g.textBaseline = Y(limit.value) > m.top + 16 ? 'bottom' : 'top'; g.fillText(limit.name, m.left + 6, Y(limit.value) - (g.textBaseline === 'bottom' ? 2 : -3)); }
      }
      g.restore();
      this.image = g.getImageData(0, 0, this.canvas.width, this.canvas.height);
      this.mark();
    }

    mark() {                                       // the cursor, over the drawn chart
      const {t, series, clock} = this.o, k = nearest(t, clock.time);
      if (!this.visible || !this.image) return;
      for (const s of series) s.label.textContent = number(Math.abs(s.values[k]) < this.small ? 0 : s.values[k]);
      const g = this.canvas.getContext('2d'), [left, top, W, H] = this.box;
      g.putImageData(this.image, 0, 0);
      if (this.range) { g.fillStyle = 'rgba(37,99,235,.15)'; const [a, b] = this.range.map(this.X); g.fillRect(Math.min(a, b), top, Math.abs(b - a), H); }
      const x = this.X(clock.time);
      if (x < left - 1 || x > left + W + 1) return;
      g.strokeStyle = ink().cursor; g.globalAlpha = 0.5; g.lineWidth = 1;
      g.beginPath(); g.moveTo(x, top); g.lineTo(x, top + H); g.stroke(); g.globalAlpha = 1;
    }
  }

  // ---- torque over speed, with the area that the drive can reach ---------------------------------
  // options: title, x, y (values), xname, yname, area [[x, y], ...] (closed), t, clock
  class Diagram extends Chart {
    constructor(holder, options) {
      const head = document.createElement('div'); head.className = 'chart-head';
      const title = document.createElement('span'); title.className = 'chart-title'; title.textContent = options.title;
      const note = document.createElement('span'); note.className = 'chart-unit'; note.textContent = options.note || '';
      head.append(title, note); holder.append(head);
      super(holder, options.height || 230);
      this.o = options;
      options.clock.listen((event) => { if (event === 'time') this.mark(); });
    }
    draw() {
      const g = this.begin();
      if (!g) return;
      const {x, y, area} = this.o, colours = ink(), left = 58, right = 14, top = 10, bottom = 32;
      const bounds = (values, corners) => {
        let low = Math.min(0, ...corners), high = Math.max(0, ...corners);
        for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
        const pad = 0.06 * (high - low || 1);
        return [low - pad, high + pad];
      };
      const finite = (area || []).filter((p) => isFinite(p[0]) && isFinite(p[1]));
      const [x0, x1] = bounds(x, finite.map((p) => p[0])), [y0, y1] = bounds(y, finite.map((p) => p[1]));
      const W = this.width - left - right, H = this.height - top - bottom;
      const X = (v) => left + (v - x0) / (x1 - x0) * W, Y = (v) => top + (y1 - v) / (y1 - y0) * H;
      this.X = X; this.Y = Y;
      g.strokeStyle = colours.line; g.fillStyle = colours.text; g.textAlign = 'right'; g.textBaseline = 'middle';
      const vertical = ticks(y0, y1, H / 34), level = ticks(x0, x1, W / 70);
      for (const v of vertical.out) { g.beginPath(); g.moveTo(left, Y(v)); g.lineTo(left + W, Y(v)); g.stroke(); g.fillText(short(v, vertical.step), left - 6, Y(v)); }
      g.textAlign = 'center'; g.textBaseline = 'top';
      for (const v of level.out) { g.beginPath(); g.moveTo(X(v), top); g.lineTo(X(v), top + H); g.stroke(); g.fillText(short(v, level.step), X(v), top + H + 5); }
      g.fillText(this.o.xname, left + W / 2, top + H + 19);
      g.save(); g.translate(11, top + H / 2); g.rotate(-Math.PI / 2); g.fillText(this.o.yname, 0, -6); g.restore();
      if (finite.length > 2) {
        g.beginPath(); finite.forEach((p, k) => (k ? g.lineTo(X(p[0]), Y(p[1])) : g.moveTo(X(p[0]), Y(p[1])))); g.closePath();
        g.fillStyle = colours.fill; g.fill(); g.setLineDash([5, 4]); g.strokeStyle = '#059669'; g.lineWidth = 1.3; g.stroke(); g.setLineDash([]);
      }
      g.lineWidth = 1.5; g.lineJoin = 'round';
      const bad = this.o.outside;
      for (const pass of [false, true]) {
        g.strokeStyle = pass ? '#dc2626' : '#2563eb'; g.beginPath();
        let down = false;
        for (let k = 0; k < x.length; k++) {
          const inside = !pass || bad && bad[k];
          if (inside && k) { if (!down) g.moveTo(X(x[k - 1]), Y(y[k - 1])); g.lineTo(X(x[k]), Y(y[k])); down = true; } else down = false;
        }
        g.stroke();
      }
      this.image = g.getImageData(0, 0, this.canvas.width, this.canvas.height);
      this.mark();
    }
    mark() {
      if (!this.visible || !this.image) return;
      const g = this.canvas.getContext('2d'), k = nearest(this.o.t, this.o.clock.time);
      g.putImageData(this.image, 0, 0);
      g.fillStyle = '#111827'; g.strokeStyle = '#fff'; g.lineWidth = 1.5;
      g.beginPath(); g.arc(this.X(this.o.x[k]), this.Y(this.o.y[k]), 4.5, 0, 7); g.fill(); g.stroke();
    }
  }

  // ---- all charts of a page ---------------------------------------------------------------------
  const make = (tag, css, text) => { const e = document.createElement(tag); if (css) e.className = css; if (text) e.textContent = text; return e; };

  // data: {t, breaks, groups, diagrams} of charts.py; returns the common clock and the number of charts
  function build(data, holder) {
    const t = decode(data.t), clock = new Clock(t[0], t[t.length - 1]), breaks = new Set(data.breaks);
    const charts = [];
    for (const group of data.groups) {
      let into = holder;
      if (group.folded) { into = make('details', 'fold'); into.append(make('summary', '', group.title)); holder.append(into); } else holder.append(make('h2', '', group.title));
      const grid = make('div', group.wide ? 'plots one' : 'plots'); into.append(grid);
      for (const plot of group.plots) {
        const card = make('div', 'card'); grid.append(card);
        charts.push(new Curves(card, {...plot, series: plot.series.map((s) => ({name: s.name, values: decode(s.d)})), t, clock, breaks}));
      }
    }
    if (data.diagrams.length) {
      holder.append(make('h2', '', 'Torque over speed; dashed: limits of the drive'));
      const grid = make('div', 'plots three'); holder.append(grid);
      for (const d of data.diagrams) {
        const card = make('div', 'card'); grid.append(card);
        charts.push(new Diagram(card, {...d, x: decode(d.x), y: decode(d.y), t: decode(d.t), clock, outside: [...d.outside].map((c) => c === '1')}));
      }
    }
    const show = (chart) => { chart.visible = true; chart.draw(); };
    charts.filter((chart) => chart.canvas.getBoundingClientRect().top < window.innerHeight).forEach(show);
    window.addEventListener('beforeprint', () => charts.forEach(show));
    return {clock, charts: charts.length};
  }
  return {build, decode, nearest};
})();
