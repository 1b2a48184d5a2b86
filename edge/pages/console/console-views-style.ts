export const CONSOLE_VIEWS_STYLE = `
.action-view .card, .credits-view .card { max-width: none; }
.credits-view { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1.25rem; align-items: stretch; }
.credits-view > .card { min-height: 23.5rem; }
.credits-view > :last-child { grid-column: 1 / -1; min-width: 0; }
.action-view > * { max-width: 100%; }
.source textarea { height: 22rem; }
.lines { max-height: 24rem; margin: 0 0 1rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
.part-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem; }
.view h4 { margin: .75rem 0 .25rem; font-size: .9375rem; }
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
`
