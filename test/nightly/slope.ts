export type Point = { x: number; y: number }

/** Slope of the least-squares line through points, in units of `y` per unit of `x`. */
export function slope(points: readonly Point[]): number {
  const mean = (of: keyof Point) =>
    points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [x, y] = [mean('x'), mean('y')]
  let covariance = 0
  let variance = 0
  for (const point of points) {
    covariance += (point.x - x) * (point.y - y)
    variance += (point.x - x) ** 2
  }
  return covariance / variance
}
