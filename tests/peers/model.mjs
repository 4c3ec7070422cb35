// A model on loopback that says what it was told to, over each of the APIs that agents speak:
// Anthropic's Messages, and OpenAI's Responses and Chat Completions, streamed.
import { createServer } from 'node:http';

/**
 * serve starts a model. `pick(tools)` is given the names of the tools that an agent offers, and
 * returns `{name, input}` of the one to call, or nothing. It is asked once for each prompt; then
 * the model says "done".
 * @returns `{url, requests, close}`, where requests has the names of the tools of each request that
 * had some, and the texts of the results that came back.
 */
export async function serve(pick) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const api = apis[new URL(request.url, 'http://model').pathname.replace(/^\/v1/, '')];
    if (request.method !== 'POST' || !api) {
      response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    const asked = JSON.parse(body);
    const tools = api.tools(asked);
    const results = api.results(asked);
    if (tools.length) requests.push({ tools, results, asked });
    const call = tools.length && results.length === 0 ? pick(tools) : undefined;
    const said = api.answer(call);
    if (!asked.stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said.whole));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of said.events) {
      response.write(`${event.type && !event.object ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(said.last ?? '');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => { server.closeAllConnections(); server.close(); },
  };
}

const text = (content) => (typeof content === 'string' ? content : JSON.stringify(content));
const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };

const messages = {
  tools: (asked) => (asked.tools ?? []).map((tool) => tool.name),
  results: (asked) =>
    asked.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((c) => c.type === 'tool_result').map((c) => text(c.content)),
  answer(call) {
    const block = call ? { type: 'tool_use', id: 'toolu_1', name: call.name, input: {} } : { type: 'text', text: '' };
    const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) } : { type: 'text_delta', text: 'done' };
    const stop_reason = call ? 'tool_use' : 'end_turn';
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', content: [], stop_reason: null, stop_sequence: null, usage };
    return {
      whole: { ...message, content: [call ? { ...block, input: call.input } : { type: 'text', text: 'done' }], stop_reason },
      events: [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ],
    };
  },
};

// A tool may stand in a namespace, which its calls name besides.
const responses = {
  tools: (asked) =>
    (asked.tools ?? []).flatMap((tool) => (tool.type === 'namespace' ? tool.tools.map((t) => `${tool.name}/${t.name}`) : [tool.name ?? tool.type])),
  results: (asked) =>
    (Array.isArray(asked.input) ? asked.input : []).filter((i) => /_output$/.test(i.type)).map((i) => text(i.output)),
  answer(call) {
    const [name, namespace] = (call?.name ?? '').split('/').reverse();
    const item = call
      ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, ...(namespace && { namespace }), arguments: JSON.stringify(call.input), status: 'completed' }
      : { type: 'message', id: 'item_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] };
    const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'fake', output: [item], usage };
    return {
      whole: response,
      events: [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ],
    };
  },
};

const completions = {
  tools: (asked) => (asked.tools ?? []).map((tool) => tool.function.name),
  results: (asked) => asked.messages.filter((m) => m.role === 'tool').map((m) => text(m.content)),
  answer(call) {
    const calls = call && [{ index: 0, id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } }];
    const message = { role: 'assistant', content: call ? null : 'done', ...(calls && { tool_calls: calls }) };
    const finish_reason = call ? 'tool_calls' : 'stop';
    const base = { id: 'c_1', created: 1, model: 'fake' };
    const tokens = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    return {
      whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: tokens },
      events: [
        { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta: message, finish_reason: null }] },
        { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason }], usage: tokens },
      ],
      last: 'data: [DONE]\n\n',
    };
  },
};

const apis = { '/messages': messages, '/responses': responses, '/chat/completions': completions };
