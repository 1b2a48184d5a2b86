export const RUNS_STYLE = `
.facts + div > .state { margin-top: 1rem; }
.card h3 { margin-top: 1rem; }
.state { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; }
.state .badge { margin-left: 0; font-size: .9375rem; padding: .125rem .75rem; }
.head { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.5rem; }
.head .actions { align-self: start; margin: 0 0 1.25rem; }
.head .kind { color: var(--soft); }
#state > .state { margin: 0 0 .25rem; }
.last { margin: 0 0 1rem; overflow: hidden; color: var(--soft); font-size: .9375rem; text-overflow: ellipsis; white-space: nowrap; }
.last.bad, .last.bad a { color: var(--bad); }
.copied { display: flex; gap: .5rem; align-items: flex-start; margin: 0 0 1rem; }
.copied pre { flex: 1; min-width: 0; margin: 0; white-space: pre; overflow-wrap: normal; }
.copied button { flex: none; min-width: 5.5rem; padding-inline: .75rem; }
.empty { padding: 1.5rem; border: 1px dashed var(--line); border-radius: .875rem; color: var(--soft); }
.ago, .took, .by { color: var(--soft); font-size: .9375rem; }
.ago { white-space: nowrap; }
summary .ago, .course .ago { white-space: normal; }
.warn > p:last-child, .problem > p:last-child { margin-bottom: 0; }
.problem h2 { margin: 0 0 .5rem; }
.long { max-height: 24rem; overflow: auto; }
.output .long { height: 12rem; }
.problem pre { background: var(--paper); }
pre { max-width: 100%; }

.parts > * { min-width: 0; }
.parts h2 { margin-top: 0; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1px; overflow: hidden; margin: 0 0 1.25rem;
  border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.numbers > div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: .75rem 1rem; box-shadow: 1px 1px 0 var(--line); }
.numbers dt { font-size: .875rem; }
.numbers dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1rem; }
.charts figure { margin: 0; min-width: 0; }
.charts figcaption { font-size: .9375rem; color: var(--soft); }
.chart { height: 10rem; overflow: hidden; }
.read-out { min-height: 1.5rem; margin: .25rem 0 0; font-size: .875rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.key::before { content: ""; display: inline-block; width: .75rem; height: .75rem; margin-right: .375rem; border-radius: .1875rem; background: var(--soft); }
.key + .key { margin-left: .75rem; }
.key.good::before { background: var(--good); } .key.bad::before { background: var(--bad); }
.key.act::before { background: var(--act); } .key.soft::before { background: var(--soft); }
@media (scripting: none) { .chart, .read-out { display: none; } }
.choose { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .75rem; padding: 0; list-style: none; }
.choose li { margin: 0; }
.choose a { display: inline-flex; align-items: center; min-height: 2.75rem; }
.choose a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; box-shadow: inset 0 -2px var(--act); }

.live { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; min-height: 2.75rem; margin: 0 0 .75rem; }
.runs { margin: 0 0 1rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.runs li { display: grid; grid-template: "status when ago took" "status by by by" "said said said said" / 6.5rem auto 1fr auto; gap: 0 .75rem;
  margin: 0; padding: .625rem 1rem; align-items: center; }
.runs:empty { display: none; }
.runs li + li { border-top: 1px solid var(--line); }
.runs .badge { justify-self: start; margin: 0; }
.runs > li > .badge { grid-area: status; }
.runs a { grid-area: when; white-space: nowrap; font-variant-numeric: tabular-nums; }
.runs .ago { grid-area: ago; } .runs .took { grid-area: took; white-space: nowrap; }
.runs .by { grid-area: by; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .runs .by .badge { margin-left: .5rem; }
.runs .said { grid-area: said; min-height: 1.5rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font: .875rem/1.5rem ui-monospace, monospace; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.logs { padding: .5rem 0; margin: 0; list-style: none; font: .875rem/1.6 ui-monospace, monospace; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); }
.logs li { display: grid; grid-template-columns: 4.5rem 3.5rem minmax(0, 1fr); gap: 0 .5rem; margin: 0; padding: .125rem .75rem; }
.logs .at, .logs .level { color: var(--soft); } .logs .text { white-space: pre-wrap; }
.logs .error .level, .logs .error .text { color: var(--bad); } .logs .warn .level { color: var(--warn); }
.logs li.warn { border: 0; border-radius: 0; background: none; margin: 0; }
.sent { padding: 0; list-style: none; } .sent li + li { margin-top: 1rem; }
.course { padding-left: 1.25rem; margin: 0; }
progress { width: 100%; height: .75rem; accent-color: var(--act); }

@media (min-width: 75rem) {
  .parts { display: grid; grid-template-columns: minmax(0, 1fr) 21rem; gap: 0 1.5rem; align-items: start; }
  .head { grid-template-columns: minmax(0, 1fr) auto; }
}
@media (max-width: 40rem) {
  .runs li { grid-template: "status took" "when when" "ago ago" "by by" "said said" / 1fr auto; }
  .logs li { grid-template-columns: 4.5rem 1fr; }
  .logs .text { grid-column: 1 / -1; }
  .facts { grid-template-columns: minmax(0, 1fr); } .facts dd { margin-bottom: .375rem; }
}
`
