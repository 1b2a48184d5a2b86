export const AUTHORIZE_PATH = '/agent/authorize'

/**
 * Returns the path of the page where a person approves a token.
 * @param challenge as accepted by `decode32Bytes`
 */
export function authorizePath(challenge: string): string {
  return `${AUTHORIZE_PATH}?challenge=${challenge}`
}
