export const DOCS_STYLE = `
aside { position: relative; margin: 0 0 1.5rem; }
aside button { width: 100%; }
#search { margin: 0 0 .75rem; }
#search p { margin: 0; }
#search p:not(:empty) { margin: .375rem 0 0; font-size: .875rem; color: var(--soft); }
#search ul { margin: .25rem 0 0; padding: 0; list-style: none; }
#search ul:empty { display: none; }
#search li { margin: 0; }
#search li a { display: flex; flex-direction: column; justify-content: center; min-height: 2.75rem; padding: .375rem .75rem; border-radius: .5rem; color: var(--soft); font-size: .875rem; line-height: 1.35; text-decoration: none; }
#search li a:is(:hover, :focus-visible) { background: var(--ground); }
#search li strong { color: var(--ink); font-size: .9375rem; }
@media (scripting: none) { #search { display: none; } }
#documents { inset: auto .5rem .5rem; width: auto; max-height: 85vh; margin: 0; padding: .75rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); color: var(--ink);
  box-shadow: 0 8px 40px rgb(0 0 0 / .25); overflow-y: auto; }
#documents ul { margin: 0 0 .75rem; padding: 0; list-style: none; border-left: 1px solid var(--line); }
#documents li { margin: 0; }
#documents a { display: flex; align-items: center; min-height: 2.75rem; padding: .25rem .75rem; color: var(--soft); font-size: .9375rem; line-height: 1.35; text-decoration: none; }
#documents .section { padding-inline: 0; color: var(--ink); font-weight: 600; }
#documents a:hover { color: var(--ink); text-decoration: underline; }
#documents a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 2px 0 var(--act); }
.page { min-width: 0; max-width: 48rem; }
@media (min-width: 75rem) {
  main { display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
  aside { position: sticky; top: 2.25rem; display: flex; flex-direction: column; max-height: calc(100vh - 2.25rem); }
  aside button { display: none; }
  #search { position: relative; z-index: 1; flex: none; }
  #search ul { position: absolute; top: 100%; left: 0; width: 26rem; max-height: 70vh; padding: .375rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); box-shadow: 0 8px 40px rgb(0 0 0 / .2); overflow-y: auto; }
  #documents { display: block; position: static; max-height: none; padding: 0 0 2rem; border: 0; background: none; box-shadow: none; overflow-y: auto; }
  #documents a { min-height: 2rem; }
}
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
.sample { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); }
.bar { display: flex; align-items: center; justify-content: space-between; min-height: 2.75rem; padding: 0 .25rem 0 1rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: .8125rem; }
.sample pre { border: 0; border-radius: 0 0 .5rem .5rem; }
.sample .c { color: var(--soft); font-style: italic; } .sample .s { color: var(--good); } .sample .k { color: var(--act); } .sample .n { color: var(--warn); }
.bar button { min-width: 4.5rem; margin-left: auto; padding: .25rem .75rem; border-color: transparent; font-size: .875rem; font-weight: 500; color: var(--soft); }
.bar button:is(:hover, :focus-visible) { border-color: var(--edge); color: var(--ink); }
@media (min-width: 60rem) { .bar { min-height: 2.25rem; } .bar button { min-height: 2rem; } }
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
