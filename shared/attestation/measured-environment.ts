import { z } from 'zod'

const composeSchema = z.object({ docker_compose_file: z.string() })

/**
 * Returns each value that the measured compose file assigns to `SVC_ENV`. A value is undefined if it is not a literal,
 * for example because it comes from the encrypted environment, which is not measured. Empty if the file does not
 * contain `SVC_ENV`, or is not readable.
 * @param appCompose app-compose text, as JSON
 */
export function measuredEnvironments(appCompose: string): (string | undefined)[] {
  const text = composeFileIn(appCompose).replace(/^\s*#.*$/gm, '')
  return [...text.matchAll(/\bSVC_ENV\b(.*)$/gm)].map(
    ([, rest = '']) => /^["']?\s*[:=]\s*["']?([a-z]+)["']?\s*(#.*)?$/.exec(rest)?.[1],
  )
}

function composeFileIn(appCompose: string): string {
  try {
    return composeSchema.parse(JSON.parse(appCompose)).docker_compose_file
  } catch {
    return ''
  }
}
