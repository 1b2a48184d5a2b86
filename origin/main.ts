/**
 * Entry of the origin. What takes longest, the template of the sandboxes, is begun in a process of its own before the
 * rest is loaded, which takes a second by itself.
 */
import { makeTemplateFile } from './actions/pool/template.ts'

const template = makeTemplateFile()
// Whoever waits for it hears of its failure: not this process, which would end without a word.
template.catch(() => {})
const { runOrigin } = await import('./service.ts')
runOrigin(template)
