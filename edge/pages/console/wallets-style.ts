export const WALLETS_STYLE = `
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
