# The tool and the Python front end in a container, of what `make wheel` wrote:
#     make wheel && docker build -t vta . && docker run --rm -v "$PWD:/work" vta run examples/conv2d.te --check
# scripts/check_dockerfile runs these steps without docker.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils python3-numpy python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY build-wheel/dist /opt/wheels
RUN python3 -m venv --system-site-packages /opt/vta \
    && /opt/vta/bin/pip install --no-index --no-deps --disable-pip-version-check /opt/wheels/*.whl \
    && rm -rf /opt/wheels
ENV PATH=/opt/vta/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /work
ENTRYPOINT ["vta"]
CMD ["--help"]
