/** How the console looks, beyond `page/style.ts`: its frame, and what its views are made of. */
export const CONSOLE_STYLE = `
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
.balance a { display: inline-flex; align-items: center; min-height: 2.75rem; font-size: 1.125rem; font-weight: 700; font-variant-numeric: tabular-nums; }

.views { margin: 0 0 1.5rem; border-bottom: 1px solid var(--line); overflow-x: auto; }
.views ul { display: flex; gap: 1.5rem; margin: 0; padding: 0; list-style: none; }
.views li { margin: 0; flex: none; }
.views a { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--soft); text-decoration: none; white-space: nowrap; }
.views a:hover { color: var(--ink); text-decoration: underline; }
.views a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--act); }
.view > h2 { margin: 0 0 1rem; font-size: 1.375rem; }
.view > h2:focus { outline: none; }
.view h3 { font-size: 1.0625rem; }
.loading { min-height: 12rem; color: var(--soft); }

button.small { min-height: 2.75rem; padding: .25rem .625rem; font-size: .875rem; }
button[aria-busy=true] { opacity: .6; cursor: progress; }
.copy { display: inline-flex; align-items: center; gap: .5rem; font-size: .875rem; color: var(--soft); }
.folded { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; }
.secret { margin: 0 0 1rem; padding: 1rem; border: 1px dashed var(--edge); border-radius: .5rem; }
.secret > code { display: block; min-height: 3.2em; margin: 0 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; }
.secret .actions { margin: 0; align-items: center; }

.progress { position: sticky; bottom: 0; z-index: 1; }
.progress > p:not(:empty) { width: fit-content; max-width: 100%; margin: 1rem 0; padding: .625rem 1rem; border-radius: .5rem; background: var(--ink); color: var(--ground); box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
.progress > p:empty { margin: 0; }
.progress .problem { margin: 1rem 0; box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
.progress .problem .actions { margin: 0; }
`
