import { EditorView } from '@codemirror/view'

/**
 * Handles typing over a selection. Otherwise, Chromium would copy the style of the replaced text into a `style`
 * attribute, which violates the content security policy and logs an error.
 */
export const replaceSelectionOnInput = EditorView.domEventHandlers({
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
