export const CONSOLE_STYLE = `
main { min-height: 100vh; }
.connect { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1.25rem; align-items: start; }
.connect .told-why, .connect .busy { grid-column: 1 / -1; }
.connect fieldset, .view > fieldset { margin: 0; }
.told-why:not(:empty) { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--bad); border-radius: .25rem .5rem .5rem .25rem; background: var(--bad-ground); }
.busy { min-height: 1.6em; margin: 0; color: var(--soft); }
.choice .hint { display: block; margin: 0; }
.choice input[type=checkbox] { border-radius: .25rem; }

.account-head { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 2rem; margin: 0 0 1rem; padding: .875rem 1.25rem; border: 1px solid var(--line);
  border-radius: .875rem; background: var(--paper); }
.account-head p { margin: 0; }
.account-head > :first-child { flex: 1 1 20rem; min-width: 0; }
.account-name { font-weight: 700; }
.balance a { display: inline-flex; align-items: center; min-width: 6ch; min-height: 2.75rem; font-size: 1.125rem; font-weight: 700; font-variant-numeric: tabular-nums; }

.views { margin: 0 0 1.5rem; border-bottom: 1px solid var(--line); overflow-x: auto; }
.views ul { display: flex; gap: 1.5rem; margin: 0; padding: 0; list-style: none; }
.views li { margin: 0; flex: none; }
.views a { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--soft); text-decoration: none; white-space: nowrap; }
.views a:hover { color: var(--ink); text-decoration: underline; }
.views a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--act); }
.view > h2 { margin: 0 0 1rem; font-size: 1.375rem; }
.view > h2:focus, .signing h2:focus { outline: none; }
.view h3 { font-size: 1.0625rem; }
.loading { min-height: 12rem; color: var(--soft); }

button.small { margin-block: -.625rem; padding: .5rem; border-color: transparent; background: transparent; color: var(--act); font-size: .875rem; text-decoration: underline; text-underline-offset: .2em; }
button[aria-busy=true] { opacity: .6; cursor: progress; }
.copy { display: inline-flex; align-items: center; gap: .5rem; font-size: .875rem; color: var(--soft); }
.folded { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; }
.secret { margin: 0 0 1rem; padding: 1rem; border: 1px dashed var(--edge); border-radius: .5rem; }
.secret > code { display: block; min-height: 3.2em; margin: 0 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; }
.secret .actions { margin: 0; align-items: center; }

.progress { position: sticky; bottom: 0; z-index: 1; pointer-events: none; }
.progress .problem { pointer-events: auto; }
.progress > p:not(:empty) { width: fit-content; max-width: 100%; margin: 1rem 0 1rem auto; padding: .625rem 1rem; border-radius: .5rem; background: var(--ink); color: var(--ground); box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
.progress > p:empty { margin: 0; }
.progress .problem { margin: 1rem 0; box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
.progress .problem .actions { margin: 0; }

.view .card { max-width: 44rem; }
.view .card > h3 { margin-bottom: .75rem; }
.view h4 { margin: .75rem 0 .25rem; font-size: .9375rem; color: var(--soft); }
.members { margin: 0 0 .5rem; padding: 0; list-style: none; }
.members li { display: flex; min-height: 2.75rem; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; margin: 0; max-width: 34rem; border-bottom: 1px solid var(--line); }
.view details > form { margin: 0 0 1.5rem; max-width: 34rem; }
.rows .warn { margin: .5rem 0; }
.confirm { flex: 0 1 22rem; padding: .75rem 1rem; border: 1px solid var(--bad); border-radius: .5rem; }
.confirm .actions { margin: 0; }
.rows meter { display: block; width: min(100%, 16rem); height: 1rem; }

.steps { padding: 0; list-style: none; counter-reset: step; max-width: 44rem; }
.steps > li { position: relative; margin: 0; padding: 0 0 1.5rem 3rem; counter-increment: step; }
.steps > li::before { content: counter(step); position: absolute; left: 0; top: -.125rem; width: 1.875rem; height: 1.875rem; border: 1px solid var(--edge); border-radius: 50%;
  background: var(--paper); text-align: center; font-size: .875rem; font-weight: 700; line-height: 1.75rem; }
.steps > li.made::before { content: "✓"; border-color: var(--good); color: var(--good); background: var(--good-ground); }
.steps > li.next::before { border-color: var(--act); background: var(--act); color: var(--on-act); }
.steps > li:not(:last-child)::after { content: ""; position: absolute; left: .9375rem; top: 2rem; bottom: .25rem; border-left: 1px solid var(--line); }
.steps p { margin: 0 0 .5rem; }

.picture { margin: 0 0 1.5rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.picture figcaption > p { margin: .75rem 0 0; }
.scrolled { overflow-x: auto; }
.scrolled table { min-width: 32rem; }
.picture svg { display: block; max-width: none; font: 14px system-ui, sans-serif; }
.picture rect { fill: var(--ground); stroke: var(--edge); }
.picture .group rect { fill: var(--paper); stroke: var(--act); stroke-width: 2; }
.picture .wide rect { stroke: var(--bad); }
.picture .wide rect + rect { fill: none; }
.picture text { fill: var(--ink); }
.picture .heading { fill: var(--soft); font-size: 13px; font-weight: 600; }
.picture path { fill: none; stroke: var(--edge); stroke-width: 1.5; }
.picture path.executes { stroke: var(--act); stroke-dasharray: 5 4; }
`
