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
    // Control characters and bidirectional overrides.
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
      // Not needed for focus, but required by accessibility checkers.
      tabindex: '0',
      spellcheck: 'false',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString())
    }),
  ]
}

/** Time after Escape during which Tab leaves the editor instead of indenting. */
const LEAVE_WITHIN_MS = 2_000

/**
 * Lets Tab leave the editor after Escape, so that the focus is never trapped (WCAG 2.1.2). CodeMirror does this only if
 * Escape has no other effect, such as closing a panel.
 */
const leaveByEscape = EditorView.domEventObservers({
  keydown: ({ key }, view) => {
    if (key === 'Escape') view.setTabFocusMode(LEAVE_WITHIN_MS)
  },
})
