import { EditorView } from '@codemirror/view'
import { editorExtensions, type EditorLanguage } from './extensions.ts'
import { markLines, type Mark } from './marked-lines.ts'

export type { EditorLanguage } from './extensions.ts'

type EditorOptions = {
  /** Textarea to replace. It must have a label. The editor has the same height. */
  textarea: HTMLTextAreaElement
  /** `javascript` enables completions, explanations and errors for what actions can use. */
  language: EditorLanguage
  onChange?: (text: string) => void
}

export type Editor = {
  setText: (text: string) => void
  /** Moves the cursor to a position and focuses the editor. The line and column are 1-based and limited to the text. */
  goTo: (line: number, column?: number) => void
  mark: (marks: readonly Mark[]) => void
  destroy: () => void
}

/**
 * The hidden textarea remains the form's field and always contains the current text. The editor is in a shadow root
 * that adopts its style sheets, which the `style-src` of the content security policy does not restrict.
 */
export function mountEditor({ textarea, language, onChange }: EditorOptions): Editor {
  const host = document.createElement('div')
  host.className = 'editor'
  const shadow = host.attachShadow({ mode: 'open' })
  shadow.adoptedStyleSheets = [styleSheetFor(textarea.offsetHeight)]
  const label = textarea.labels?.[0]
  const { hint, status, reportProblem } = footer(language)
  const view = new EditorView({
    root: shadow,
    parent: shadow,
    doc: textarea.value,
    extensions: editorExtensions({
      label: label?.textContent?.trim() || 'Source',
      hint: hint.textContent,
      language,
      reportProblem,
      changed: (text) => {
        textarea.value = text
        onChange?.(text)
      },
    }),
  })
  shadow.append(hint, status)

  const { required } = textarea
  // The browser could not show a validation message for a hidden field, and would block the form's submission without
  // explanation.
  textarea.required = false
  const hadFocus = textarea.matches(':focus')
  textarea.hidden = true
  textarea.after(host)
  if (hadFocus) {
    // Copies the selection, so that typed text replaces the text that was selected in the textarea.
    const selection = { anchor: textarea.selectionStart, head: textarea.selectionEnd }
    view.dispatch({ selection, scrollIntoView: true })
    view.focus()
  }
  const focusEditor = (event: Event) => {
    event.preventDefault()
    view.focus()
  }
  label?.addEventListener('click', focusEditor)

  return {
    setText: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    goTo: (line, column = 1) => {
      const at = offsetOf(view, line, column)
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true })
      view.focus()
    },
    mark: (marks) => view.dispatch({ effects: markLines.of(marks) }),
    destroy: () => {
      label?.removeEventListener('click', focusEditor)
      view.destroy()
      host.remove()
      textarea.hidden = false
      textarea.required = required
    },
  }
}

const KEYS =
  'Tab indents; Escape, then Tab, leaves the editor. Ctrl+F searches, Ctrl+Space completes'

/** The line below the editor: the keys, or an error if there is one. */
function footer(language: EditorLanguage) {
  const hint = document.createElement('p')
  hint.textContent =
    language === 'javascript'
      ? `${KEYS}, F1 explains a name, F8 goes to the next error.`
      : `${KEYS}.`
  hint.className = 'hint'
  // Hidden from screen readers, which receive this text as the editor's description.
  hint.setAttribute('aria-hidden', 'true')
  const status = document.createElement('p')
  status.className = 'problem'
  status.setAttribute('role', 'status')
  return {
    hint,
    status,
    reportProblem: (text: string) => {
      if (status.textContent !== text) status.textContent = text
      hint.hidden = text !== ''
    },
  }
}

function offsetOf(view: EditorView, line: number, column: number): number {
  const { doc } = view.state
  const found = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(found.from + Math.max(1, column) - 1, found.to)
}

/** Returns a style sheet that gives the editor the height of the textarea, to avoid a layout shift. */
function styleSheetFor(heightPx: number): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
    :host { display: flex; flex-direction: column; height: ${heightPx}px; min-height: 10rem; overflow: hidden; resize: vertical;
      border: 1px solid var(--edge); border-radius: .5rem; background: light-dark(#fff, #111317); color: var(--ink); }
    :host(:focus-within) { outline: 3px solid var(--act); outline-offset: 2px; }
    .cm-editor { flex: 1; min-height: 0; }
    .hint, .problem { margin: 0; padding: .375rem .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .8125rem; line-height: 1.4; }
    .hint[hidden], .problem:empty { display: none; }
    .problem { color: var(--bad); white-space: pre-line; overflow-wrap: anywhere; }
  `)
  return sheet
}
