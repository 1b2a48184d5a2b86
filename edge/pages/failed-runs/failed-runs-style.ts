export const FAILED_RUNS_STYLE = `
.rows h3 { overflow-wrap: anywhere; }
.rows .actions { margin: 0; }
.failed label { margin: 0; font-weight: 400; overflow-wrap: anywhere; }
`
