import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'

/** Returns the banner of an environment as HTML without styles, or an empty text. */
export function environmentBanner(name: EnvironmentName): string {
  const { banner } = ENVIRONMENTS[name]
  return banner === undefined ? '' : `<p role="note"><strong>${banner}</strong></p>\n`
}
