/** Styles of the list of triggers and of the choice of a kind. */
export const TRIGGERS_STYLE = `
.kinds { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); margin: 0 0 1.25rem; padding: 0; list-style: none; }
.kinds > li { display: flex; flex-direction: column; margin: 0; }
.kinds .button { margin-top: auto; text-align: center; }
.kinds h2 { display: flex; gap: .5rem; align-items: center; margin: 0 0 .5rem; }
.tools { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; justify-content: space-between; margin: 0 0 1.25rem; }
.tools nav { display: flex; flex-wrap: wrap; gap: 0 2.5rem; }
code.cron { display: inline-block; }
.list td a[href^="/runs/"] { white-space: nowrap; }
.spark { display: block; width: 6rem; height: 1.25rem; }
.spark .ok { fill: var(--good); }
.spark .bad { fill: var(--bad); }
.filter { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
.filter li { margin: 0; }
.filter a { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--soft); font-size: .9375rem; text-decoration: none; }
.filter a:hover { text-decoration: underline; }
.filter a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--act); }
.fires { display: flex; gap: .5rem; align-items: flex-start; }
.fires .icon { margin-top: .0625rem; }
.list .fires code { font-size: .8125rem; }
@media (min-width: 48.0625rem) { .fires > span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } }
`
