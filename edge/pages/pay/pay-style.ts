/** Reserves space for the payment processor's elements before they are loaded. */
export const PAY_STYLE = `
.amount { display: flex; align-items: baseline; justify-content: space-between; margin: 0 0 1rem; }
.amount strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
#methods { min-height: 12rem; margin: 0 0 1rem; }
#fault:empty { display: none; }
#fault { margin: 0 0 1rem; }
`
