// Copyright 2026 The kane_dynamics authors
// SPDX-License-Identifier: Apache-2.0
// A page of charts alone.
'use strict';

window.addEventListener('error', (e) => { document.body.dataset.error = `${e.message} (${e.lineno})`; });

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  document.body.dataset.charts = Plots.build(data, document.getElementById('curves')).charts;
  document.body.dataset.ready = 'yes';
})();
