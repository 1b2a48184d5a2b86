import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { completeForActions } from './completion.ts'
import { LOOKS } from './looks.ts'
import { markedLines } from './marked-lines.ts'

type Parts = { label: string; hint: string; changed: (text: string) => void }

/** What an editor of actions is made of. */
export function extensionsOf({ label, hint, changed }: Parts): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    // Control characters, and those that turn the direction of text around, are seen.
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    highlightSelectionMatches(),
    search({ top: true }),
    markedLines,
    javascript(),
    javascriptLanguage.data.of({ autocomplete: completeForActions }),
    LOOKS,
    EditorState.tabSize.of(2),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      // After Escape the Tab is the browser's for two seconds, so that nobody is caught in here (WCAG 2.1.2).
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-description': hint,
      autocapitalize: 'off',
      // It has the focus anyway: checkers of pages look for this.
      tabindex: '0',
      spellcheck: 'false',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString())
    }),
  ]
}
