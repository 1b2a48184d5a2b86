export const DOCS_STYLE = `
.documents { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .75rem; padding: 0; list-style: none; }
.documents li { position: relative; margin: 0; padding: .5rem 1.125rem .875rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
.documents li:hover { border-color: var(--edge); }
.documents a { display: block; padding-block: .375rem; font-weight: 600; text-decoration: none; }
.documents a::after { content: ""; position: absolute; inset: 0; border-radius: .75rem; }
.documents a:hover { text-decoration: underline; }
.documents span { display: block; font-size: .9375rem; line-height: 1.45; color: var(--soft); }
.contents { margin: 0 0 2rem; padding: .25rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.contents summary { width: 100%; font-weight: 600; }
.contents ul { columns: 16rem; column-gap: 2rem; margin: 0 0 .5rem; padding: 0; list-style: none; }
.contents li { margin: 0; break-inside: avoid; }
.contents a { display: flex; align-items: center; min-height: 2.75rem; font-size: .9375rem; line-height: 1.35; }
.doc { overflow-wrap: break-word; }
.doc h2 { margin-top: 3rem; padding-top: .25rem; font-size: 1.375rem; }
.doc h3 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
.doc h4 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.doc :is(h2, h3, h4) { scroll-margin-top: 1rem; }
.doc :target { text-decoration: underline; text-decoration-color: var(--act); text-decoration-thickness: 2px; text-underline-offset: .3em; }
.doc code { font-size: .875em; overflow-wrap: anywhere; }
.doc :not(pre) > code { padding: .0625rem .25rem; border-radius: .25rem; background: var(--paper); box-shadow: 0 0 0 1px var(--line); }
.doc pre { margin: 0; background: var(--paper); white-space: pre; line-height: 1.5; }
.doc pre code { font-size: .8125rem; overflow-wrap: normal; }
.sample { position: relative; margin: 0 0 1.25rem; }
.sample button { position: absolute; top: .25rem; right: .25rem; min-width: 4.5rem; padding: .25rem .75rem; border-color: transparent; background: var(--paper); font-size: .875rem; font-weight: 500; color: var(--soft); }
.sample:hover button, .sample button:focus-visible { border-color: var(--edge); color: var(--ink); }
.scroll { margin: 0 0 1.25rem; overflow-x: auto; }
.scroll table { min-width: 32rem; font-size: .875rem; }
.scroll :is(td, th) { min-width: 5rem; }
.scroll td:first-child code { white-space: nowrap; }
.reference table { table-layout: fixed; width: 100%; }
.reference th:first-child { width: 34%; }
.reference th:nth-child(2) { width: 22%; }
.reference .scroll td:first-child code { white-space: normal; }
.doc blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 4px solid var(--line); color: var(--soft); }
`
