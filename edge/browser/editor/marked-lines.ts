import { type EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'

/** Line numbers are 1-based. Marks on nonexistent lines are ignored. */
export type Mark = { line: number; text: string }

export const markLines = StateEffect.define<readonly Mark[]>()

export const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marked, { effects, changes, docChanged, state }) => {
    const markEffect = effects.find((effect) => effect.is(markLines))
    if (markEffect) return decorations(state, markEffect.value)
    // Removes all marks after an edit, because they refer to the text before the edit.
    return docChanged ? Decoration.none : marked.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function decorations({ doc }: EditorState, marks: readonly Mark[]): DecorationSet {
  const existing = marks.filter(({ line }) => line >= 1 && line <= doc.lines)
  const ranges = existing.map(({ line, text }) =>
    Decoration.line({ class: 'cm-marked', attributes: { title: text } }).range(doc.line(line).from),
  )
  return Decoration.set(ranges, true)
}
