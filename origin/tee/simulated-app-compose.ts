import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'
import { appComposeText } from '../deploy/app-compose.ts'

const COMPOSE_FILE = fileURLToPath(new URL('../deploy/docker-compose.yaml', import.meta.url))

/**
 * The default is the compose file in this repository, which states the environment of a public deployment. A local
 * stack publishes the file unchanged.
 * @param file value of `SVC_APP_COMPOSE_FILE`
 */
export function simulatedAppCompose(
  file: string | undefined,
  environment: EnvironmentName,
): string {
  if (file !== undefined) return readFileSync(file, 'utf8')
  const text = readFileSync(COMPOSE_FILE, 'utf8')
  if (!ENVIRONMENTS[environment].isPublic) return appComposeText(text)
  return appComposeText(
    text
      .replace('- SVC_ENV=production\n', `- SVC_ENV=${environment}\n`)
      .replace('- SVC_TEE=dstack\n', '- SVC_TEE=simulated\n'),
  )
}
