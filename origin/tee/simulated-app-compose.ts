import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { appComposeText } from '../deploy/app-compose.ts'

const COMPOSE_FILE = fileURLToPath(new URL('../deploy/docker-compose.yaml', import.meta.url))

/** @param file value of `SVC_APP_COMPOSE_FILE`; if undefined, the compose file in this repository is used */
export function simulatedAppCompose(file: string | undefined): string {
  return file === undefined
    ? appComposeText(readFileSync(COMPOSE_FILE, 'utf8'))
    : readFileSync(file, 'utf8')
}
