export const ALL_RUNS_STYLE = `
.find { margin: 0 0 1.25rem; }
.find .first { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: flex-end; }
.find .first p { margin: 0; flex: 0 1 16rem; }
.find select { width: 100%; }
.find .more { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); align-items: end; padding-top: .5rem; }
.pick { display: inline-flex; align-items: center; min-width: 1.75rem; min-height: 2.75rem; margin: 0 .25rem 0 0; vertical-align: middle; }
@media (min-width: 60rem) { .pick { min-height: 1.75rem; } }
.said { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
`
