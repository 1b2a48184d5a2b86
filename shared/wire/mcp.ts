/** Path of the remote MCP server at the edge. */
export const MCP_PATH = '/mcp'
