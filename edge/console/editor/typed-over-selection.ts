import { EditorView } from '@codemirror/view'

/**
 * Text in the place of a selection is put in here, and not by the browser: Chromium would give it the looks of what it
 * replaces as a `style` attribute, which the page's policy refuses, aloud.
 */
export const typedOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    const { main, ranges } = view.state.selection
    if (inputType !== 'insertText' || data === null || view.composing) return false
    if (main.empty || ranges.length > 1) return false
    event.preventDefault()
    const insert = () => view.state.update(view.state.replaceSelection(data), TYPED)
    // Who closes brackets around what is selected hears of it first.
    const isTaken = view.state
      .facet(EditorView.inputHandler)
      .some((handler) => handler(view, main.from, main.to, data, insert))
    if (!isTaken) view.dispatch(insert())
    return true
  },
})

const TYPED = { userEvent: 'input.type', scrollIntoView: true }
