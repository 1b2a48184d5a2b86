import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  ifNotIn,
} from '@codemirror/autocomplete'
import { ACTION_NAMES, type ActionName } from './action-names.ts'

const PATH = /(?:[A-Za-z_$][\w$]*\.)*[\w$]*$/
const TEXTS = ['String', 'TemplateString', 'LineComment', 'BlockComment', 'RegExp']

/**
 * Completes names from a list, as long as the language service is not available. Offers no completions in strings,
 * comments and regular expressions.
 */
export const completeKnownNames: CompletionSource = ifNotIn(TEXTS, completePath)

function completePath(context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(PATH)
  if (!typed || (typed.text === '' && !context.explicit)) return null
  const within = typed.text.slice(0, typed.text.lastIndexOf('.') + 1)
  const options = ACTION_NAMES.get(within)
  if (!options) return null
  return {
    from: typed.from + within.length,
    options: options.map(completion),
    validFor: /^[\w$]*$/,
  }
}

const completion = ({ name, detail }: ActionName): Completion => ({
  label: name,
  ...(detail !== undefined && { detail }),
})
