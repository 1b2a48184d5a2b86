/**
 * Theme of the editor. Uses the page's colours (`edge/pages/layout/page-style.ts`), which adapt to light and dark
 * schemes. Every text colour has a contrast of at least 4.5:1.
 */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const theme = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    overflow: 'auto',
    fontFamily: 'ui-monospace, monospace',
    fontSize: '.875rem',
    lineHeight: '1.6',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '.5rem 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--soft)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(rgb(36 71 201 / .05), rgb(169 189 255 / .07))',
  },
  '.cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    {
      backgroundColor: 'light-dark(#d3dcfb, #2a3866)',
    },
  '.cm-selectionMatch': { backgroundColor: 'light-dark(#e9eefe, #232c48)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--act)',
  },
  '&.cm-focused .cm-nonmatchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--bad)',
  },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-line.cm-marked': {
    backgroundColor: 'var(--bad-ground)',
    boxShadow: 'inset 3px 0 var(--bad)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-ground)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'light-dark(#ffdf9e, #574011)' },
  '.cm-panels': { backgroundColor: 'var(--paper)', color: 'var(--ink)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '.5rem 3rem .5rem .75rem', fontSize: '.875rem' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    minHeight: '2.75rem',
    fontSize: '.875rem',
  },
  '.cm-panel.cm-search [name=close]': {
    minWidth: '2.75rem',
    minHeight: '2.75rem',
    color: 'var(--ink)',
    fontSize: '1.25rem',
    cursor: 'pointer',
  },
  '.cm-textfield, .cm-button': {
    minHeight: '2.75rem',
    border: '1px solid var(--edge)',
    borderRadius: '.375rem',
    backgroundColor: 'transparent',
    backgroundImage: 'none',
    color: 'inherit',
    fontSize: '.875rem',
  },
  '.cm-textfield::placeholder': { color: 'var(--soft)', opacity: '1' },
  '.cm-tooltip': {
    border: '1px solid var(--edge)',
    borderRadius: '.375rem',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '.25rem .625rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--act)',
    color: 'var(--on-act)',
  },
  '.cm-explanation': {
    maxWidth: '36rem',
    maxHeight: '16rem',
    overflow: 'auto',
    padding: '.25rem .625rem',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-explanation p': { margin: '.25rem 0 0' },
  // The default styles use images in `data:` URLs, which the content security policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-ground)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic': { maxWidth: '36rem', overflowWrap: 'anywhere' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '.85' },
})

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.self, tags.operatorKeyword], color: 'var(--act)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.escape], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.function(tags.definition(tags.variableName)), fontWeight: '600' },
  { tag: tags.invalid, color: 'var(--bad)' },
])

export const EDITOR_THEME = [theme, syntaxHighlighting(highlight)]
