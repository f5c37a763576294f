"""HTTP server of the ground truth of a run, on loopback. The robot's own software never asks it.

Its clients are the stand-in for a model's eyes, which must recognise what a picture shows, and the
judge of a demonstration, who compares the robot's words with the truth.
- GET /pose: the true pose, number of collisions and path length so far.
- GET /collisions: time, place and obstacle of each collision of the base.
- GET /world: all objects, rooms and doorways.
- GET /view: the current view of the camera.
- POST /seen: whether a posted picture (JPEG or PNG) is one of the last that were published, and
  what it shows, in pixels of the posted picture.
- GET /overview.png: the world from above; X-Origin-X, X-Origin-Y (lower left corner) and
  X-Resolution in metres.
"""

import io
from collections.abc import Callable

from PIL import Image
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.loopback_server import LoopbackServer, read_body
from semantic_nav_sim.robot.renderer import Overview
from semantic_nav_sim.robot.truth import BadRequest, Truth

LARGEST_POST_BYTES = 16 << 20


def serve_truth(truth: Truth, draw: Callable[[], Overview], port: int) -> LoopbackServer:
    """Start to serve a Truth on 127.0.0.1.

    Args:
        truth: the answers.
        draw: renders the world from above.
        port: 0 for any free one.

    Raises:
        ConfigError: the port is taken.
    """
    def ask(request: Request) -> Response:
        answer = truth.ask(request.path_params['name'])
        if answer is None:
            raise HTTPException(404, f'nothing at {request.url.path[:80]}')
        return JSONResponse(answer)

    async def seen(request: Request) -> Response:
        content = await read_body(request, LARGEST_POST_BYTES)
        try:
            return JSONResponse(await run_in_threadpool(truth.seen, content))
        except BadRequest as error:
            raise HTTPException(400, str(error)) from error

    def overview(_: Request) -> Response:
        drawn, content = draw(), io.BytesIO()
        Image.fromarray(drawn.picture).save(content, 'PNG')
        return Response(content.getvalue(), media_type='image/png', headers={
            'X-Origin-X': f'{drawn.origin_x_m:.6f}', 'X-Origin-Y': f'{drawn.origin_y_m:.6f}',
            'X-Resolution': f'{drawn.resolution_m:.8f}'})

    async def refused(_: Request, error: HTTPException) -> Response:
        return JSONResponse({'error': error.detail}, error.status_code)

    app = Starlette(
        routes=[Route('/overview.png', overview), Route('/seen', seen, methods=['POST']),
                Route('/{name}', ask)],
        exception_handlers={HTTPException: refused})
    try:
        return LoopbackServer(app, '127.0.0.1', port)
    except OSError as error:
        raise ConfigError(f'truth_port {port} cannot be had: {error}') from error
