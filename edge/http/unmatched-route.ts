import { ApiError } from '../../shared/errors/api-error.ts'

export function unmatchedRoute(method: string, allowedMethods: string[]): ApiError {
  if (allowedMethods.length === 0 || allowedMethods.includes(method))
    return new ApiError(404, 'There is nothing at this path.', 'Check the path.')
  return methodNotAllowed(method, allowedMethods)
}

export function methodNotAllowed(
  method: string,
  allowedMethods: readonly string[],
  fix = `Use ${allowedMethods.join(' or ')}.`,
): ApiError {
  const headers = { allow: allowedMethods.join(', ') }
  return new ApiError(405, `${method} is not allowed on this path.`, fix, { headers })
}
