import { ApiError } from '../../shared/errors.ts'

/** 404, or 405 if the path supports other methods. */
export function nothingAt(method: string, methods: string[]): ApiError {
  if (methods.length === 0 || methods.includes(method))
    return new ApiError(404, 'There is nothing at this path.', 'Check the path.')
  const headers = { allow: methods.join(', ') }
  return new ApiError(
    405,
    `${method} is not allowed on this path.`,
    `Use ${methods.join(' or ')}.`,
    {
      headers,
    },
  )
}
