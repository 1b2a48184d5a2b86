/**
 * Starts building the sandbox template, the slowest step of the startup, in another process. The build runs while this
 * process loads the other modules, which takes about a second.
 */
import { buildTemplateFile } from './actions/pool/template.ts'

const template = buildTemplateFile()
// The code that awaits the template handles its failure. Without this handler, an early rejection would crash the
// process.
template.catch(() => {})
const { runOrigin } = await import('./service.ts')
runOrigin(template)
