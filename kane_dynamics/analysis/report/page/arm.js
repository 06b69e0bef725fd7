// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// The arm in space: forward kinematics of the tree that Python wrote, drawn with WebGL. No library.
'use strict';

const Arm = (() => {
  // ---- small algebra: rotations are 9 numbers by rows, points 3 ---------------------------------
  const mul = (A, B) => {
    const C = new Array(9);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) {
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
    return C;
  };
  const turn = (A, v) => [
    A[0] * v[0] + A[1] * v[1] + A[2] * v[2], A[3] * v[0] + A[4] * v[1] + A[5] * v[2],
    A[6] * v[0] + A[7] * v[1] + A[8] * v[2]];
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const length = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => { const n = length(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const EYE = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const about = (axis, angle) => {                 // Rodrigues
    const [x, y, z] = axis, c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
    return [c + x * x * d, x * y * d - z * s, x * z * d + y * s,
      y * x * d + z * s, c + y * y * d, y * z * d - x * s,
      z * x * d - y * s, z * y * d + x * s, c + z * z * d];
  };
  const exponential = (v) => {
    const angle = length(v);
    return angle < 1e-12 ? EYE : about(scale(v, 1 / angle), angle);
  };
  // a rotation that brings z to a direction
  const along = (d) => {
    const z = unit(d), helper = Math.abs(z[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
    const x = unit(cross(helper, z)), y = cross(z, x);
    return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
  };

  // ---- kinematics -------------------------------------------------------------------------------
  // polynomial of a bent beam: linear (3, n) and quadratic (3, n, n) terms, flat
  const bent = (linear, quadratic, eta) => {
    const n = eta.length, out = [0, 0, 0];
    for (let i = 0; i < 3; i++) {
      for (let a = 0; a < n; a++) {
        out[i] += linear[i * n + a] * eta[a];
        if (quadratic) {
          for (let b = 0; b < n; b++) out[i] += 0.5 * quadratic[(i * n + a) * n + b] * eta[a] * eta[b];
        }
      }
    }
    return out;
  };

  function poses(scene, q) {
    const found = [];
    for (const link of scene.links) {
      let R = link.R, p = link.p;
      if (link.parent >= 0) {
        const parent = found[link.parent], flex = scene.links[link.parent].flex;
        let seat = parent;
        if (flex && link.seat) {                   // rides on the bent beam of its parent
          const eta = q.slice(flex.first, flex.first + flex.count);
          const shift = bent(link.seat.Phi, link.seat.Gam, eta);
          const tilt = exponential(bent(link.seat.Psi, link.seat.Lam, eta));
          const root = link.seat.at;               // the undeformed position, in the parent's frame
          // the child rotates about it
          const arm = turn(tilt, sub(p, root));
          p = add(add(root, shift), arm);
          R = mul(tilt, R);
        }
        p = add(seat.p, turn(seat.R, p));
        R = mul(seat.R, R);
      }
      if (link.q >= 0) {
        const value = link.multiplier * q[link.q] + link.offset + (link.deflection >= 0 ? q[link.deflection] : 0);
        if (link.kind === 'prismatic') p = add(p, turn(R, scale(link.axis, value)));
        else R = mul(R, about(link.axis, value));
      }
      found.push({R, p});
    }
    return found;
  }

  function centreline(scene, k, q) {               // of a flexible link, in its own frame
    const flex = scene.links[k].flex, eta = q.slice(flex.first, flex.first + flex.count);
    return flex.line.map((station) => add(station.at, bent(station.Phi, station.Gam, eta)));
  }

  // ---- shapes: triangles with normals, 6 numbers per corner -------------------------------------
  function quad(out, a, b, c, d, n) {
    for (const v of [a, b, c, a, c, d]) out.push(...v, ...n);
  }
  function box() {
    const out = [], h = 0.5;
    for (let axis = 0; axis < 3; axis++) for (const s of [-1, 1]) {
      const n = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0];
      n[axis] = s; u[(axis + 1) % 3] = h; v[(axis + 2) % 3] = h;
      const m = scale(n, h), uu = s > 0 ? u : scale(u, -1);
      quad(out, sub(sub(m, uu), v), sub(add(m, uu), v), add(add(m, uu), v), add(sub(m, uu), v), n);
    }
    return out;
  }
  function revolve(profile, sides) {               // profile: [[r, z, normal r, normal z], ...]
    const out = [];
    for (let k = 0; k < sides; k++) {
      const a = 2 * Math.PI * k / sides, b = 2 * Math.PI * (k + 1) / sides;
      for (let i = 0; i + 1 < profile.length; i++) {
        const [r0, z0, m0, w0] = profile[i], [r1, z1, m1, w1] = profile[i + 1];
        const at = (r, z, angle) => [r * Math.cos(angle), r * Math.sin(angle), z];
        const corners = [[r0, z0, m0, w0, a], [r0, z0, m0, w0, b], [r1, z1, m1, w1, b],
          [r0, z0, m0, w0, a], [r1, z1, m1, w1, b], [r1, z1, m1, w1, a]];
        for (const [r, z, m, w, angle] of corners) out.push(...at(r, z, angle), ...at(m, w, angle));
      }
    }
    return out;
  }
  const cylinder = () => revolve([[0, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, 1, 0],
    [1, 0.5, 1, 0], [1, 0.5, 0, 1], [0, 0.5, 0, 1]], 40);
  function ball(rings = 14) {
    const profile = [];
    for (let i = 0; i <= rings; i++) {
      const a = -Math.PI / 2 + Math.PI * i / rings;
      profile.push([Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)]);
    }
    return revolve(profile, 28);
  }
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

  function mesh(data) {                            // quantized corners and indices
    const v = new Uint16Array(bytes(data.v).buffer);
    const index = new (data.wide ? Uint32Array : Uint16Array)(bytes(data.i).buffer);
    const n = v.length / 3, P = new Float32Array(3 * n);
    for (let k = 0; k < 3 * n; k++) P[k] = data.low[k % 3] + v[k] * data.step[k % 3];
    const faces = index.length / 3, N = new Float32Array(3 * faces), around = new Map();
    const area = new Float32Array(faces);
    for (let f = 0; f < faces; f++) {
      const [a, b, c] = [0, 1, 2].map((j) => {
        const k = 3 * index[3 * f + j];
        return [P[k], P[k + 1], P[k + 2]];
      });
      const normal = cross(sub(b, a), sub(c, a));
      N.set(unit(normal), 3 * f); area[f] = length(normal);
      for (let j = 0; j < 3; j++) {
        const k = index[3 * f + j];
        if (!around.has(k)) around.set(k, []);
        around.get(k).push(f);
      }
    }
    const out = new Float32Array(18 * faces);
    for (let f = 0; f < faces; f++) {
      const own = [N[3 * f], N[3 * f + 1], N[3 * f + 2]];
      for (let j = 0; j < 3; j++) {
        const k = index[3 * f + j];
        let sum = [0, 0, 0];
        for (const g of around.get(k)) {           // smooth, but for edges sharper than 40 degrees
          const other = [N[3 * g], N[3 * g + 1], N[3 * g + 2]];
          if (dot(own, other) > 0.766) sum = add(sum, scale(other, area[g]));
        }
        out.set([P[3 * k], P[3 * k + 1], P[3 * k + 2], ...unit(length(sum) ? sum : own)],
          18 * f + 6 * j);
      }
    }
    return out;
  }

  // ---- the view ---------------------------------------------------------------------------------
  const VERTEX = `attribute vec3 position, normal; uniform mat4 camera, model; uniform mat3 turn;
    varying vec3 n, w; void main() { vec4 at = model * vec4(position, 1.0); w = at.xyz;
    n = turn * normal; gl_Position = camera * at; }`;
  const FRAGMENT = `precision mediump float; varying vec3 n, w; uniform vec4 colour; uniform vec3 eye;
    uniform float lit; void main() { if (lit < 0.5) { gl_FragColor = colour; return; }
    vec3 m = normalize(n), v = normalize(eye - w); if (dot(m, v) < 0.0) m = -m;
    float key = max(dot(m, normalize(vec3(0.45, -0.5, 0.75))), 0.0);
    float fill = max(dot(m, normalize(vec3(-0.7, 0.4, 0.2))), 0.0);
    float shine = pow(max(dot(reflect(-normalize(vec3(0.45, -0.5, 0.75)), m), v), 0.0), 24.0);
    float sky = 0.5 + 0.5 * m.z;
    vec3 c = colour.rgb * (0.30 + 0.20 * sky + 0.48 * key + 0.12 * fill) + 0.12 * shine;
    gl_FragColor = vec4(c, colour.a); }`;

  function rgb(text) {
    const v = parseInt(text.slice(1), 16);
    return [(v >> 16 & 255) / 255, (v >> 8 & 255) / 255, (v & 255) / 255];
  }

  class View {
    constructor(canvas, scene, options = {}) {
      this.canvas = canvas; this.scene = scene; this.options = options;
      this.q = options.q || new Array(scene.nq).fill(0);
      this.trail = null; this.trailSplit = 0; this.frames = false; this.shapes = true;
      this.azimuth = -0.9; this.elevation = 0.42; this.target = scene.centre.slice();
      this.inset = options.inset || (() => 0);   // pixels at the right that something covers
      this.distance = this._fit();
      this.home = [this.azimuth, this.elevation];
      const gl = canvas.getContext('webgl', {antialias: true, preserveDrawingBuffer: true});
      this.gl = gl;
      if (!gl) { this.flat = canvas.getContext('2d'); } else { this._prepare(); }
      this._listen();
      new ResizeObserver(() => this.draw()).observe(canvas);
    }

    _prepare() {
      const gl = this.gl, program = gl.createProgram();
      for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
      }
      gl.bindAttribLocation(program, 0, 'position');
      gl.bindAttribLocation(program, 1, 'normal');
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
      gl.useProgram(program);
      this.at = {};
      for (const name of ['camera', 'model', 'turn', 'colour', 'eye', 'lit']) {
        this.at[name] = gl.getUniformLocation(program, name);
      }
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND); gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.clearColor(0, 0, 0, 0);
      this.buffers = {box: this._buffer(box()), cylinder: this._buffer(cylinder()), ball: this._buffer(ball())};
      this.meshes = (this.scene.meshes || []).map((data) => this._buffer(mesh(data)));
    }

    _buffer(values) {
      const gl = this.gl, id = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, id);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      return {id, count: values.length / 6};
    }

    _listen() {
      const canvas = this.canvas, fingers = new Map();
      let last = null;
      canvas.style.touchAction = 'none';
      canvas.addEventListener('pointerdown', (e) => {
        canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.clientX, e.clientY]); last = null;
      });
      const up = (e) => { fingers.delete(e.pointerId); last = null; };
      canvas.addEventListener('pointerup', up); canvas.addEventListener('pointercancel', up);
      canvas.addEventListener('pointermove', (e) => {
        if (!fingers.has(e.pointerId)) return;
        const [x, y] = fingers.get(e.pointerId), dx = e.clientX - x, dy = e.clientY - y;
        fingers.set(e.pointerId, [e.clientX, e.clientY]);
        if (fingers.size === 2) {
          const [a, b] = [...fingers.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
          if (last) this.distance *= last / d;
          last = d; this._pan(dx / 2, dy / 2);
        } else if (e.buttons & 2 || e.shiftKey) {
          this._pan(dx, dy);
        } else {
          this.azimuth -= 0.008 * dx;
          this.elevation = Math.max(-1.5, Math.min(1.55, this.elevation + 0.008 * dy));
        }
        this.draw();
      });
      canvas.addEventListener('contextmenu', (e) => e.preventDefault());
      canvas.addEventListener('wheel', (e) => {
        e.preventDefault();
        this.distance = Math.max(0.05 * this.scene.radius, Math.min(40 * this.scene.radius,
          this.distance * Math.exp(0.0012 * e.deltaY)));
        this.draw();
      }, {passive: false});
      canvas.addEventListener('dblclick', () => this.reset());
    }

    reset() {
      [this.azimuth, this.elevation] = this.home; this.distance = this._fit();
      this.target = this.scene.centre.slice();
      this.draw();
    }

    _fit() {                                       // the ball about the arm fills the shorter side
      const {clientWidth, clientHeight} = this.canvas, free = clientWidth - this.inset();
      return 3.05 * this.scene.radius * Math.max(1, clientHeight / Math.max(free, 1));
    }

    look(azimuth, elevation) { this.azimuth = azimuth; this.elevation = elevation; this.draw(); }

    _basis() {
      const ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
      const back = [ce * Math.cos(this.azimuth), ce * Math.sin(this.azimuth), se];
      const right = unit(cross([0, 0, 1], back)), up = cross(back, right);
      return {right, up, back};
    }

    _pan(dx, dy) {
      const {right, up} = this._basis(), s = this.distance / this.canvas.clientHeight;
      this.target = add(this.target, add(scale(right, -dx * s), scale(up, dy * s)));
    }

    _camera(width, height) {                       // columns of a projective matrix
      const {right, up, back} = this._basis(), eye = add(this.target, scale(back, this.distance));
      const f = 1 / Math.tan(0.35), near = 0.02 * this.distance, far = 60 * this.distance;
      const a = (far + near) / (near - far), b = 2 * far * near / (near - far), s = f * height / width;
      const t = [-dot(right, eye), -dot(up, eye), -dot(back, eye)];
      const k = this.inset() / Math.max(this.canvas.clientWidth, 1);   // x / w is moved by -k
      return {eye, matrix: [
        s * right[0] + k * back[0], f * up[0], a * back[0], -back[0],
        s * right[1] + k * back[1], f * up[1], a * back[1], -back[1],
        s * right[2] + k * back[2], f * up[2], a * back[2], -back[2],
        s * t[0] + k * t[2], f * t[1], a * t[2] + b, -t[2]]};
    }

    set(q) { this.q = q; this.draw(); }

    draw() {
      const canvas = this.canvas, ratio = Math.min(window.devicePixelRatio || 1, 2);
      const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
      if (!width || !height) return;
      if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
      this.width = width; this.height = height;
      this.poses = poses(this.scene, this.q);
      const camera = this._camera(width, height);
      this.camera = camera;
      if (!this.gl) { this._flat(); return; }
      const gl = this.gl;
      gl.viewport(0, 0, width, height);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(this.at.camera, false, camera.matrix);
      gl.uniform3fv(this.at.eye, camera.eye);
      this._ground();
      const ground = this.scene.ground;
      const sun = [0.45, -0.5, 0.75];
      this.flatten = [1, 0, -sun[0] / sun[2], 0, 1, -sun[1] / sun[2], 0, 0, 0];
      this._shadow = true; gl.disable(gl.DEPTH_TEST);
      this._arm((R, p) => [mul(this.flatten, R), add(turn(this.flatten, sub(p, [0, 0, ground])), [0, 0, ground])]);
      this._shadow = false; gl.enable(gl.DEPTH_TEST);
      this._arm((R, p) => [R, p]);
      this._trails();
      if (this.frames) this._frames();
    }

    _arm(transform) {
      const scene = this.scene, show = this.shapes && scene.links.some((link) => link.shapes.length);
      scene.links.forEach((link, k) => {
        const {R, p} = this.poses[k];
        if (show) {
          for (const shape of link.shapes) {
            if (link.flex && !shape.rigid) continue;
            this._shape(shape, mul(R, shape.R), add(p, turn(R, shape.p)), transform);
          }
        }
        if (link.flex) this._beam(link, k, transform);
        else if (!show || !link.shapes.length) this._bones(link, k, transform);
        if (link.payload) {
          this._draw('ball', scale3(EYE, link.payload.r), add(p, turn(R, link.payload.at)), '#d97706', transform);
        }
      });
    }

    _bones(link, k, transform) {
      const {p} = this.poses[k], r = 0.018 * this.scene.radius;
      this.scene.links.forEach((child, j) => {
        if (child.parent !== k) return;
        const to = this.poses[j].p, d = sub(to, p), l = length(d);
        if (l > 1e-6) this._rod(p, to, r, link.colour, transform);
        if (child.q >= 0 && child.kind !== 'prismatic' && !(this.shapes && child.shapes.length)) {
          const a = turn(this.poses[j].R, child.axis);
          this._rod(add(to, scale(a, -1.6 * r)), add(to, scale(a, 1.6 * r)), 1.5 * r, '#475569', transform);
        }
      });
    }

    _beam(link, k, transform) {
      const {R, p} = this.poses[k], points = centreline(this.scene, k, this.q).map((x) => add(p, turn(R, x)));
      const r = Math.max(link.flex.r, 0.014 * this.scene.radius);
      for (let i = 0; i + 1 < points.length; i++) this._rod(points[i], points[i + 1], r, '#0f766e', transform);
      for (const x of points) this._draw('ball', scale3(EYE, r), x, '#0f766e', transform);
    }

    _rod(a, b, r, colour, transform) {
      const d = sub(b, a), l = length(d);
      if (l < 1e-9) return;
      const R = along(d);
      this._draw('cylinder', columns(R, [r, r, l]), scale(add(a, b), 0.5), colour, transform);
    }

    _shape(shape, R, p, transform) {
      const s = shape.s, c = shape.c;
      if (shape.k === 'box') this._draw('box', columns(R, s), p, c, transform);
      else if (shape.k === 'sphere') this._draw('ball', scale3(R, s[0]), p, c, transform);
      else if (shape.k === 'cylinder') this._draw('cylinder', columns(R, [s[0], s[0], s[1]]), p, c, transform);
      else if (shape.k === 'capsule') {
        this._draw('cylinder', columns(R, [s[0], s[0], s[1]]), p, c, transform);
        for (const e of [-0.5, 0.5]) this._draw('ball', scale3(R, s[0]), add(p, turn(R, [0, 0, e * s[1]])), c, transform);
      } else if (shape.k === 'mesh') this._draw(this.meshes[shape.mesh], columns(R, s), p, c, transform);
    }

    _draw(buffer, A, p, colour, transform) {
      const gl = this.gl, b = typeof buffer === 'string' ? this.buffers[buffer] : buffer;
      const [M, t] = transform(A, p);
      gl.bindBuffer(gl.ARRAY_BUFFER, b.id);
      gl.enableVertexAttribArray(0); gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
      gl.uniformMatrix4fv(this.at.model, false, [M[0], M[3], M[6], 0, M[1], M[4], M[7], 0,
        M[2], M[5], M[8], 0, t[0], t[1], t[2], 1]);
      if (this._shadow) {
        gl.uniform1f(this.at.lit, 0); gl.uniform4f(this.at.colour, ...this._ink('shadow'));
      } else {
        const N = cofactor(M);                     // normals turn by the inverse transpose
        gl.uniformMatrix3fv(this.at.turn, false, [N[0], N[3], N[6], N[1], N[4], N[7], N[2], N[5], N[8]]);
        gl.uniform1f(this.at.lit, 1); gl.uniform4f(this.at.colour, ...rgb(colour), 1);
      }
      gl.drawArrays(gl.TRIANGLES, 0, b.count);
    }

    _ink(kind) {
      const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
      return {shadow: dark ? [0, 0, 0, 1] : [0.80, 0.82, 0.85, 1], grid: dark ? [0.5, 0.55, 0.6, 0.35] : [0.45, 0.5, 0.55, 0.35]}[kind];
    }

    _lines(points, colour, mode) {
      const gl = this.gl;
      if (!this.lineBuffer) this.lineBuffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(0); gl.disableVertexAttribArray(1);
      gl.vertexAttrib3f(1, 0, 0, 1);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
      gl.uniformMatrix4fv(this.at.model, false, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
      gl.uniform1f(this.at.lit, 0); gl.uniform4f(this.at.colour, ...colour);
      gl.drawArrays(mode === undefined ? gl.LINES : mode, 0, points.length);
    }

    _ground() {
      const z = this.scene.ground, step = Math.pow(10, Math.round(Math.log10(this.scene.radius / 5))), n = 10;
      const [cx, cy] = this.scene.centre.map((x) => Math.round(x / step) * step), points = [];
      for (let k = -n; k <= n; k++) {
        points.push([cx + k * step, cy - n * step, z], [cx + k * step, cy + n * step, z]);
        points.push([cx - n * step, cy + k * step, z], [cx + n * step, cy + k * step, z]);
      }
      this._lines(points, this._ink('grid'));
    }

    // the path of the frame as a thin tube: done, to come, and where a limit is exceeded
    _trails() {
      const gl = this.gl, trail = this.trail;
      if (!trail || trail.length < 2) return;
      if (!this.tube) {
        const r = 0.006 * this.scene.radius, sides = 6, rings = trail.map((p, k) => {
          const d = sub(trail[Math.min(k + 1, trail.length - 1)], trail[Math.max(k - 1, 0)]), R = along(length(d) > 1e-9 ? d : [0, 0, 1]);
          return Array.from({length: sides}, (_, j) => { const a = 2 * Math.PI * j / sides; return add(p, turn(R, [r * Math.cos(a), r * Math.sin(a), 0])); });
        });
        const out = [];
        for (let k = 0; k + 1 < rings.length; k++) for (let j = 0; j < sides; j++) {
          const i = (j + 1) % sides, corners = [rings[k][j], rings[k][i], rings[k + 1][i], rings[k][j], rings[k + 1][i], rings[k + 1][j]];
          for (const c of corners) out.push(...c, 0, 0, 1);
        }
        this.tube = this._buffer(out); this.tubeStep = 6 * sides;
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, this.tube.id);
      gl.enableVertexAttribArray(0); gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
      gl.uniformMatrix4fv(this.at.model, false, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
      gl.uniform1f(this.at.lit, 0);
      const part = (a, b, colour) => { if (b > a) { gl.uniform4f(this.at.colour, ...colour); gl.drawArrays(gl.TRIANGLES, a * this.tubeStep, (b - a) * this.tubeStep); } };
      const last = trail.length - 1, k = Math.max(0, Math.min(last, this.trailSplit));
      gl.depthFunc(gl.LEQUAL);
      part(0, k, [0.145, 0.388, 0.922, 1]); part(k, last, [0.60, 0.66, 0.74, 1]);
      for (const [a, b] of this.bad || []) part(a, Math.min(last, Math.max(b, a + 1)), [0.86, 0.15, 0.15, 1]);
      gl.depthFunc(gl.LESS);
    }

    _frames() {
      const l = 0.12 * this.scene.radius, gl = this.gl;
      gl.disable(gl.DEPTH_TEST);
      for (const {R, p} of this.poses) {
        [[1, 0.2, 0.2, 1], [0.15, 0.65, 0.2, 1], [0.2, 0.4, 1, 1]].forEach((colour, j) => {
          this._lines([p, add(p, scale([R[j], R[3 + j], R[6 + j]], l))], colour);
        });
      }
      gl.enable(gl.DEPTH_TEST);
    }

    _flat() {                                      // no WebGL: the skeleton, in plain lines
      const ink = this.flat, m = this.camera.matrix;
      const on = (p) => {
        const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
        return [0.5 * this.width * (1 + (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w),
          0.5 * this.height * (1 - (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w)];
      };
      const stroke = (points, colour, thick) => {
        ink.strokeStyle = colour; ink.lineWidth = thick; ink.beginPath();
        points.map(on).forEach((p, k) => (k ? ink.lineTo(...p) : ink.moveTo(...p)));
        ink.stroke();
      };
      ink.clearRect(0, 0, this.width, this.height); ink.lineCap = 'round';
      if (this.trail) stroke(this.trail, '#94a3b8', 1.5);
      this.scene.links.forEach((link, k) => {
        const {R, p} = this.poses[k];
        if (link.flex) stroke(centreline(this.scene, k, this.q).map((x) => add(p, turn(R, x))), '#0f766e', 6);
        if (link.parent >= 0) stroke([this.poses[link.parent].p, p], '#475569', 6);
      });
    }
  }

  const scale3 = (R, s) => R.map((x) => x * s);
  const columns = (R, s) => R.map((x, k) => x * s[k % 3]);
  function cofactor(M) {
    const [a, b, c, d, e, f, g, h, i] = M;
    return [e * i - f * h, f * g - d * i, d * h - e * g, c * h - b * i, a * i - c * g, b * g - a * h,
      b * f - c * e, c * d - a * f, a * e - b * d];
  }
  return {View, poses, centreline};
})();
