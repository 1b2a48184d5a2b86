/**
 * Entry point of the origin. It starts building the sandbox template, the slowest step, in another process. Meanwhile
 * it loads the other modules, which takes about a second.
 */
import { makeTemplateFile } from './actions/pool/template.ts'

const template = makeTemplateFile()
// The code that awaits the template handles its failure. Without this handler, an early rejection would crash the
// process.
template.catch(() => {})
const { runOrigin } = await import('./service.ts')
runOrigin(template)
