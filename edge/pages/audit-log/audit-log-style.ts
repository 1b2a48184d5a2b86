export const AUDIT_LOG_STYLE = `
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: 0 .75rem; align-items: end; }
.filters .field { margin: 0 0 .75rem; min-width: 0; }
.filters button { margin: 0 0 .75rem; justify-self: start; }
.changes > li { overflow-wrap: anywhere; }
#log-status { min-height: 3em; }
`
