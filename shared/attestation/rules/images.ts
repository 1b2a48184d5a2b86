/** Rule 3: every image is pinned by its digest, so that the compose hash says what runs. */
import { check, CheckFailed, quoted } from '../check-failed.ts'
import { composeKeys } from '../compose-keys.ts'
import type { Info } from '../evidence.ts'
import type { Finding } from '../report.ts'

const PINNED = /^[^\s@$]+@sha256:[0-9a-f]{64}$/
/** What would bring in an image that the text does not name. */
const ELSEWHERE = ['build', 'extends', 'include']
/** Of dstack: shell that is in the text and runs beside the images. */
const SCRIPTS = ['pre_launch_script', 'init_script', 'bash_script']

/** @throws {CheckFailed} */
export function imagesRule({ tcb_info }: Info): Finding {
  const compose = composeOf(tcb_info.app_compose)
  const text = compose['docker_compose_file']
  check(typeof text === 'string', 'app_compose has no docker_compose_file')
  let images = 0
  for (const { line, key, value } of composeKeys(text)) {
    check(!ELSEWHERE.includes(key), `line ${line}: "${key}" brings in what is not pinned`)
    // A volume or mount of this type is an image by another name: `source`.
    check(!isImageMount(key, value), `line ${line}: a mount of the type image is not pinned`)
    if (key !== 'image') continue
    images++
    check(PINNED.test(value), `line ${line}: the image ${quoted(value)} is not pinned by @sha256`)
  }
  check(images > 0, 'docker_compose_file has no images')
  const scripts = SCRIPTS.filter((name) => compose[name])
  const open = scripts.map(
    (name) => `What app_compose's ${name} does: it is measured, and no image.`,
  )
  return { outcome: 'passed', reason: `${images} images, each pinned by its digest`, open }
}

function isImageMount(key: string, value: string): boolean {
  return key === 'type' && /^['"]?image['"]?$/.test(value)
}

function composeOf(text: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new CheckFailed('app_compose is not JSON')
  }
  check(typeof parsed === 'object' && parsed !== null, 'app_compose is not a JSON object')
  return parsed as Record<string, unknown>
}
