"""Clicks on the page of the viewer, one after the other, so that none is lost."""

from __future__ import annotations

INTERVAL = 60
"""Milliseconds between two clicks: viser's page sends one value in 50 ms at most, and of several only the last."""

_SCRIPT = f"""
if (!window.clicksAreSpaced) {{
  window.clicksAreSpaced = true;
  const waiting = [];
  let busy = false, turn = null;
  const next = () => {{
    turn = waiting.shift() || null;
    busy = turn !== null;
    if (busy) {{ setTimeout(next, {INTERVAL}); turn.click(); }}
  }};
  document.addEventListener('click', event => {{
    const target = event.target.closest('button, input[type=checkbox]');
    if (!target) return;
    if (target === turn) {{ turn = null; return; }}
    if (!busy) {{ busy = true; setTimeout(next, {INTERVAL}); return; }}
    event.preventDefault();
    event.stopImmediatePropagation();
    waiting.push(target);
  }}, true);
}}
"""

SPACED_CLICKS = f'<img alt="" src="data:," style="display: none" onerror="{" ".join(_SCRIPT.split())}">'
"""An element of the page: when a busy browser receives several clicks at once, each waits for the one before."""
