export const AUTHORIZE_PATH = '/agent/authorize'

/** The page where a person approves the token of a challenge. @param challenge as `decode32Bytes` takes it */
export function authorizePath(challenge: string): string {
  return `${AUTHORIZE_PATH}?challenge=${challenge}`
}
