import { ApiError } from '../../shared/errors.ts'

/** Longer paths are not repeated in the response. */
const PATH_SHOWN_CHARACTERS = 200

/** Returns a 404, or a 405 if the path supports other methods. */
export function nothingAt(
  { method, path }: { method: string; path: string },
  methods: string[],
): ApiError {
  if (methods.length === 0)
    return new ApiError(
      404,
      `There is nothing at ${path.length > PATH_SHOWN_CHARACTERS ? 'this path' : path}.`,
      'Check the path; the API begins with /core/v1.',
    )
  const headers = { allow: methods.join(', ') }
  const fix = `Use ${methods.join(' or ')}.`
  return new ApiError(405, `${method} is not a method of ${path}.`, fix, { headers })
}
