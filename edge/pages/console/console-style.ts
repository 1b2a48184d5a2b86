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
.view h4 { margin: .75rem 0 .25rem; font-size: .9375rem; color: var(--soft); }
.members { margin: 0 0 .5rem; padding: 0; list-style: none; }
.members li { display: flex; min-height: 2.75rem; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; margin: 0; max-width: 34rem; border-bottom: 1px solid var(--line); }
.view details > form { margin: 0 0 1.5rem; max-width: 34rem; }
.rows .warn { margin: .5rem 0; }
.confirm { flex: 0 1 22rem; padding: .75rem 1rem; border: 1px solid var(--bad); border-radius: .5rem; }
.confirm.mild { border-color: var(--edge); }
.confirm .actions { margin: 0; }
.rows > li > .part { flex: 1 1 100%; min-width: 0; }
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

.action-view .card, .credits-view .card { max-width: none; }
.credits-view { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1.25rem; align-items: stretch; }
.credits-view > .card { min-height: 23.5rem; }
.credits-view > :last-child { grid-column: 1 / -1; min-width: 0; }
.action-view > * { max-width: 100%; }
.source textarea { height: 22rem; }
.lines { max-height: 24rem; margin: 0 0 1rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
.part-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; }
.part-head h4 { margin: 0; }
.rows h4 { margin: 0 0 .375rem; font-size: 1rem; }
.result > [role=status] { margin: 0 0 .5rem; font-weight: 600; }
.result > [role=status]:empty { margin: 0; }
.view .card > h3 { margin: 0 0 .75rem; }
.view .card .loading { min-height: 0; }
.permission { min-height: 15rem; }
.error:empty { margin: 0; }
.view details.card { padding: .5rem 1.5rem; }
.view form > .note { margin: 1rem 0 0; }
.result .facts { margin-bottom: .75rem; }
.stack { margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); list-style: none; font-size: .875rem; }
.stack li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; min-height: 1.75rem; margin: 0; }
.stack li code { white-space: pre-wrap; }
.receipt .actions { margin-top: .75rem; align-items: center; }
.receipt [role=status]:empty { margin: 0; }
.permit { display: flex; flex-wrap: wrap; align-items: end; gap: 0 .75rem; }
.permit .field { flex: 1 1 14rem; margin: 0 0 .75rem; }
.permit button { margin: 0 0 .75rem; }
.own-wallet [role=status]:empty { margin: 0 0 .5rem; }
.own-wallet p { margin: 0 0 .5rem; }
.rows > li form, .rows > li .warn { margin-top: .75rem; }
.rows .actions { margin: 0; }

.figures { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 0 0 1rem; }
.figures dd { font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.3; }
.payments { margin: 1.25rem 0 0; }
button[aria-pressed=true] { border-color: var(--act); box-shadow: inset 0 0 0 1px var(--act); }
.period { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10rem), 1fr)); gap: 0 .75rem; align-items: end; }
.period .field { margin: 0 0 .75rem; min-width: 0; }
.period button { margin: 0 0 .75rem; justify-self: start; }
.usage-chart { margin: 0 0 1rem; }
.usage-chart .chart { height: 14rem; }
.usage-chart figcaption { min-height: 1.6em; font-size: .875rem; color: var(--soft); }
.swatch { display: inline-block; width: .75rem; height: .75rem; margin-left: .5rem; border-radius: .125rem; background: var(--act); }
.swatch.warn { margin-bottom: 0; padding: 0; border: 0; background: var(--warn); }
.swatch:first-child { margin-left: 0; }
.scrolled { max-height: 28rem; margin: 0 0 1rem; overflow: auto; }
td.number, th.number { padding-right: 0; padding-left: .75rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.day { white-space: nowrap; }

.wallets { min-height: 11rem; }
.wallets ul { display: grid; gap: .5rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.wallets li { margin: 0; }
button.wallet { display: flex; align-items: center; gap: .875rem; width: 100%; padding: .625rem .875rem; text-align: left; }
button.wallet img, button.wallet .mark { flex: none; width: 2rem; height: 2rem; border-radius: .5rem; object-fit: contain; }
button.wallet .mark { background: var(--line); }
button.wallet > span { min-width: 0; line-height: 1.35; }
button.wallet small { display: block; font-weight: 400; font-size: .8125rem; color: var(--soft); }

dialog.signing { width: min(38rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); margin: auto; padding: 1.5rem; overflow-y: auto; border: 1px solid var(--line);
  border-radius: .875rem; background: var(--paper); color: var(--ink); box-shadow: 0 12px 40px rgb(0 0 0 / .3); }
dialog.signing::backdrop { background: rgb(10 12 16 / .55); }
dialog.signing > .note:first-child { margin: 0 0 .25rem; }
dialog.signing h2 { margin: 0 0 .75rem; }
dialog.signing .facts { grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .375rem 1rem; margin: 0 0 1rem; padding: .875rem 0; border-block: 1px solid var(--line); }
dialog.signing .facts dd { font-variant-numeric: tabular-nums; }
dialog.signing .actions { margin: 1.25rem 0 0; }

.sent { margin: 0 0 1.25rem; padding: .75rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); font-size: .9375rem; }
.sent ol { margin: .375rem 0 0; padding: 0; list-style: none; }
.sent li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.sent code { color: var(--soft); }

table.modes th, table.modes td { overflow-wrap: break-word; }
.card form + p { margin-top: 1rem; }

@media (max-width: 30rem) {
  table.modes { font-size: .8125rem; }
  table.modes th, table.modes td { padding-right: .5rem; }
  dialog.signing { padding: 1.25rem; }
  dialog.signing .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dialog.signing .facts dd { margin-bottom: .5rem; }
  dialog.signing .actions > button { flex: 1 1 auto; }
}
`
