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
import { EDITOR_THEME } from './theme.ts'
import { markedLines } from './marked-lines.ts'
import { actionLanguage } from './action-language.ts'

export type EditorLanguage = 'javascript' | 'json'

type Parts = {
  label: string
  hint: string
  language: EditorLanguage
  changed: (text: string) => void
  /** See `actionLanguage`. */
  reportProblem: (text: string) => void
}

export function editorExtensions({
  label,
  hint,
  language,
  changed,
  reportProblem,
}: Parts): Extension[] {
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
    language === 'javascript' ? [javascript(), actionLanguage(reportProblem)] : JSON_LANGUAGE,
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

/** JSON is parsed as a JavaScript expression, so no second parser is bundled. */
const JSON_LANGUAGE = javascriptLanguage.configure({ top: 'SingleExpression' })

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

/**
 * Handles typing over a selection. Otherwise, Chromium would copy the style of the replaced text into a `style`
 * attribute, which violates the content security policy and logs an error.
 */
const replaceSelectionOnInput = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    const { main, ranges } = view.state.selection
    if (inputType !== 'insertText' || data === null || view.composing) return false
    if (main.empty || ranges.length > 1) return false
    event.preventDefault()
    const insert = () => view.state.update(view.state.replaceSelection(data), TYPED)
    // Other input handlers take precedence, for example the one that encloses the selection in brackets.
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handler) => handler(view, main.from, main.to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

const TYPED = { userEvent: 'input.type', scrollIntoView: true }
