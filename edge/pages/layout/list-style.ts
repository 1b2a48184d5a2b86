/** Styles of `ListTable` (`edge/browser/components/elements.tsx`). */
export const LIST_STYLE = `
.list { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.list table { font-size: .9375rem; }
.list :is(th, td) { padding: .75rem 1rem; vertical-align: middle; }
.list thead th { padding-block: .5rem; font-size: .8125rem; white-space: nowrap; }
.list tbody tr:last-child > * { border-bottom: 0; }
.list tbody th { width: 50%; min-width: 15rem; max-width: 0; color: var(--ink); font-weight: 400; }
.list tbody th > a, .list tbody th > :is(h2, h3) { margin: 0; font-size: 1rem; font-weight: 600; }
.list .note { margin: 0; font-size: .875rem; }
.list .badge { margin-left: 0; }
.list td { min-width: 5.5rem; }
.list td.does { width: 1%; }
.list .does > div { display: flex; gap: .5rem; justify-content: flex-end; align-items: center; white-space: nowrap; }
@media (min-width: 60rem) {
  .list .does :is(button, .button) { display: inline-flex; align-items: center; min-height: 2.25rem; padding: .25rem .75rem; font-size: .875rem; }
}
@media (max-width: 48rem) {
  .list :is(table, tbody, tr, th, td) { display: block; width: auto; }
  .list thead { display: none; }
  .list tbody tr { padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
  .list tbody tr:last-child { border-bottom: 0; }
  .list tbody tr > :is(th, td, td.does) { width: auto; min-width: 0; max-width: none; padding: 0 0 .25rem; border: 0; }
  .list td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .list .does > div { flex-wrap: wrap; justify-content: flex-start; padding-top: .5rem; }
}
`
