/** Completions, explanations and errors by the types of what actions can use, from the language service. */
import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { javascriptLanguage } from '@codemirror/lang-javascript'
import { forEachDiagnostic, linter, lintKeymap, setDiagnosticsEffect } from '@codemirror/lint'
import { type EditorState, type Extension, StateEffect } from '@codemirror/state'
import {
  activateHover,
  closeHoverTooltips,
  EditorView,
  hoverTooltip,
  keymap,
  type Tooltip,
} from '@codemirror/view'
import type { Explanation } from '../language/protocol.ts'
import { completeKnownNames } from './known-names.ts'
import { languageClient } from './language-client.ts'

const CHECK_AFTER_MS = 500

/** @param reportProblem receives the error at the cursor, else the first one, or an empty text */
export function actionLanguage(reportProblem: (text: string) => void): Extension {
  return [
    javascriptLanguage.data.of({ autocomplete: completeByTypes }),
    linter(findProblems, {
      delay: CHECK_AFTER_MS,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(serviceIsReady))),
    }),
    hoverTooltip((view, position) => explainAt(view.state, position)),
    keymap.of([...lintKeymap, { key: 'F1', run: explainAtCursor }]),
    startOnFocus,
    EditorView.domEventObservers({
      keydown: ({ key }, view) => {
        if (key === 'Escape') view.dispatch({ effects: closeHoverTooltips })
      },
    }),
    EditorView.updateListener.of(({ state, transactions, selectionSet }) => {
      const isChecked = transactions.some(({ effects }) =>
        effects.some((effect) => effect.is(setDiagnosticsEffect)),
      )
      if (isChecked || selectionSet) reportProblem(problemToShow(state))
    }),
  ]
}

const serviceIsReady = StateEffect.define()

/** Loads the service when the editor gets the focus, because it is larger than all other scripts together. */
const startOnFocus = EditorView.domEventObservers({
  focus: (_event, view) => {
    if (started.has(view)) return
    started.add(view)
    languageClient().onReady(() => view.dispatch({ effects: serviceIsReady.of(null) }))
  },
})
const started = new WeakSet<EditorView>()

const completeByTypes: CompletionSource = async (context) => {
  if (!context.explicit && !context.matchBefore(/[\w$.]$/)) return null
  const { state, pos: position } = context
  const source = state.doc.toString()
  const found = await languageClient().request({ method: 'complete', source, position })
  if (found === undefined) return completeKnownNames(context)
  return (
    found && {
      from: found.from,
      options: found.names.map(({ name, isLessLikely }): Completion => ({
        label: name,
        ...(isLessLikely && { boost: -1 }),
        info: async () => {
          const request = { method: 'explain', source, position, name } as const
          const explanation = await languageClient().request(request)
          return explanation ? explanationElement(explanation) : null
        },
      })),
      validFor: /^[\w$]*$/,
    }
  )
}

async function findProblems({ state }: EditorView) {
  const source = state.doc.toString()
  const problems = await languageClient().request({ method: 'check', source })
  return (problems ?? []).map(({ from, to, text }) => ({
    from,
    to,
    severity: 'error' as const,
    message: text,
  }))
}

const hoverAt = ({ doc }: EditorState, position: number) =>
  languageClient().request({ method: 'hover', source: doc.toString(), position })

async function explainAt(state: EditorState, position: number): Promise<Tooltip | null> {
  const hover = await hoverAt(state, position)
  if (!hover) return null
  return {
    pos: hover.from,
    end: hover.to,
    above: true,
    create: () => ({ dom: explanationElement(hover) }),
  }
}

/** For users without a pointer. Also announces the explanation to screen readers. */
function explainAtCursor(view: EditorView): boolean {
  const { head } = view.state.selection.main
  activateHover(view, head, 1)
  void hoverAt(view.state, head).then((hover) => {
    if (hover) view.dispatch({ effects: EditorView.announce.of(hover.declaration) })
  })
  return true
}

function explanationElement({ declaration, documentation }: Explanation): HTMLElement {
  const element = document.createElement('div')
  element.className = 'cm-explanation'
  const code = document.createElement('code')
  code.textContent = declaration
  const text = document.createElement('p')
  text.textContent = documentation
  element.append(code, ...(documentation === '' ? [] : [text]))
  return element
}

function problemToShow(state: EditorState): string {
  const { head } = state.selection.main
  const problems: { from: number; to: number; message: string }[] = []
  forEachDiagnostic(state, ({ message }, from, to) => problems.push({ from, to, message }))
  const shown = problems.find(({ from, to }) => from <= head && head <= to) ?? problems[0]
  if (!shown) return ''
  const more = problems.length - 1
  const others = more === 0 ? '' : ` (${more} more: F8 shows the next one.)`
  return `Line ${state.doc.lineAt(shown.from).number}: ${shown.message}${others}`
}
