/** The origin as `origin/main.ts` runs it, but for the template of the sandboxes, which a test run makes once. */
import { runOrigin } from '../../origin/service.ts'
import { keptTemplate } from '../origin/actions/kept-template.ts'

runOrigin(keptTemplate())
