import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { appComposeText } from '../deploy/app-compose.ts'

const COMPOSE_FILE = fileURLToPath(new URL('../deploy/docker-compose.yaml', import.meta.url))

/**
 * Returns the app-compose text that a simulated machine claims to have been started with.
 * @param file `SVC_APP_COMPOSE_FILE`; if absent, the text with which this repository is deployed
 */
export function simulatedAppCompose(file: string | undefined): string {
  return file === undefined
    ? appComposeText(readFileSync(COMPOSE_FILE, 'utf8'))
    : readFileSync(file, 'utf8')
}
