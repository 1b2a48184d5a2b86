/** Styles of the trigger form. */
export const FORM_STYLE = `
.check { height: 17rem; margin: 0 0 .25rem; padding: .875rem 1rem; overflow: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); }
form[data-kind=chain_event] .check { height: 22rem; }
#trigger-form .check.short { height: 11rem; margin: 1rem 0; }
.check p { margin: 0 0 .5rem; }
.check table { margin: 0 0 .5rem; font-variant-numeric: tabular-nums; }
.check th, .check td { padding-block: .25rem; }
.check .logs { padding: 0; list-style: none; }
.check .logs > li { padding: .625rem 0; border-top: 1px solid var(--line); }
.verdict { font-weight: 600; }
.verdict.bad { color: var(--bad); }
.examples { display: grid; gap: .5rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.examples .confirm { margin-top: .5rem; padding: .75rem 1rem; border: 1px solid var(--bad); border-radius: .5rem; }
details.card { padding-block: .5rem; }
details.card[open] { padding-bottom: 1.25rem; }
`
