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
import { EDITOR_THEME } from './theme.ts'
import { markedLines } from './marked-lines.ts'
import { replaceSelectionOnInput } from './replace-selection-on-input.ts'

type Parts = { label: string; hint: string; changed: (text: string) => void }

export function editorExtensions({ label, hint, changed }: Parts): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
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
    EDITOR_THEME,
    EditorState.tabSize.of(2),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      indentWithTab,
    ]),
    leaveByEscape,
    replaceSelectionOnInput,
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-description': hint,
      autocapitalize: 'off',
      // `tabindex` is not needed for the focus, but accessibility checkers require it.
      tabindex: '0',
      spellcheck: 'false',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString())
    }),
  ]
}

const LEAVE_WITHIN_MS = 2_000

/**
 * Lets Tab leave the editor after Escape is pressed, so that the keyboard focus is never trapped (WCAG 2.1.2).
 * CodeMirror itself supports this only if Escape has no other effect, such as closing a panel.
 */
const leaveByEscape = EditorView.domEventObservers({
  keydown: ({ key }, view) => {
    if (key === 'Escape') view.setTabFocusMode(LEAVE_WITHIN_MS)
  },
})
